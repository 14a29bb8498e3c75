"""Tests of clusters: a package, behind which the clusters that they share end (fixtures of scope "package")."""
