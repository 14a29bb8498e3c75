"""Memory: who allocates it, who shares it, who reads and writes it now, and how much work may take."""
