from __future__ import annotations

from torch import Tensor

from blocks.spec import Block, Port


class KLDivergence(Block, category="Losses"):
    """How far the normal distributions that an encoder gives are from the standard one.

    y = ½ Σ (μ² + σ² - 1 - log σ²) over each sample, then the mean over the batch, from the mean μ and log σ²; both of
    one shape → one number. The second term of a VAE's loss, beside a reconstruction that is summed over each sample
    too; Scale behind it makes a β-VAE. Kingma and Welling 2013, arXiv 1312.6114.
    """

    title = "KL divergence"
    synonyms = ("kullback-leibler", "vae", "elbo", "latent", "prior", "beta-vae")
    equation = (
        r"\mathrm{loss} = \frac{1}{2N} \sum_{n,i} \left(\mu^2 + \sigma^2 - 1 - \log \sigma^2\right) \\"
        r"\mu = \mathrm{mean}, \quad \log \sigma^2 = \mathrm{log\_variance}"
    )
    inputs = {"mean": "batch ...", "log_variance": "batch ..."}
    outputs = {"loss": Port("", kind="number")}

    def forward(self, mean: Tensor, log_variance: Tensor) -> Tensor:
        terms = mean.square() + log_variance.exp() - 1 - log_variance
        return terms.sum() / (2 * mean.shape[0])
