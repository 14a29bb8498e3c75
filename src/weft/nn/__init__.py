"""Functions of neural networks: activations, normalisation, convolutions, pooling, attention, losses.

The one idea: every function is a few lines of the array API; there are no layers, no state and no parameters but
arguments, and compositions fuse.  Integers count as float64; float16 and bfloat16 are computed in float32 if there is
more than one step, and rounded once.
"""

from weft.api.habits import accept_habits
from weft.api.standard.matrices import one_hot
from weft.nn.activations import (
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    logsumexp,
    relu,
    sigmoid,
    silu,
    softmax,
    softplus,
)  # fmt: skip
from weft.nn.attention import embedding, linear, scaled_dot_product_attention
from weft.nn.convolution import conv, conv1d, conv2d, conv_transpose
from weft.nn.losses import binary_cross_entropy_with_logits, cross_entropy, huber_loss, l1_loss, mse_loss
from weft.nn.normalization import batch_norm, dropout, group_norm, layer_norm, rms_norm
from weft.nn.pooling import adaptive_avg_pool, avg_pool, max_pool

__all__ = [
    "adaptive_avg_pool", "avg_pool", "batch_norm", "binary_cross_entropy_with_logits", "conv", "conv1d", "conv2d",
    "conv_transpose", "cross_entropy", "dropout", "elu", "embedding", "gelu", "group_norm", "huber_loss", "l1_loss",
    "layer_norm", "leaky_relu", "linear", "log_softmax", "logsumexp", "max_pool", "mse_loss", "one_hot", "relu",
    "rms_norm", "scaled_dot_product_attention", "sigmoid", "silu", "softmax", "softplus",
]  # fmt: skip

accept_habits(globals())
