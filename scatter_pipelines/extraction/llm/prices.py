"""What calls cost: by the settings, else by the price library.

That is genai-prices, whose prices come with the package; it is imported when it is asked, as it takes a while.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

MILLION = 1_000_000
DEFAULT_CONTEXT_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class Prices:
    """Of one model at one endpoint, in US dollars. `input_usd` and `output_usd` are for a million tokens."""

    model: str
    base_url: str
    input_usd: float | None = None
    output_usd: float | None = None

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal | None:
        """None where nobody knows."""
        if self.input_usd is not None and self.output_usd is not None:
            return (
                Decimal(str(self.input_usd)) * input_tokens + Decimal(str(self.output_usd)) * output_tokens
            ) / MILLION
        found = _looked_up(self.model, self.base_url, input_tokens, output_tokens, min(cached_tokens, input_tokens))
        return found.total_price if found is not None else None

    @property
    def known(self) -> bool:
        return self.cost(1, 1) is not None


def context_tokens(model: str, base_url: str) -> int:
    """Tokens the model takes in and gives out together, as far as the price library knows."""
    found = _looked_up(model, base_url, 1, 1, 0)
    return (found.model.context_window if found is not None else None) or DEFAULT_CONTEXT_TOKENS


def _looked_up(
    model: str, base_url: str, input_tokens: int, output_tokens: int, cached_tokens: int
) -> "PriceCalculation | None":
    from genai_prices import Usage, calc_price  # noqa: PLC0415

    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached_tokens)
    try:
        return calc_price(usage, model, provider_api_url=base_url)
    except LookupError:
        return None
