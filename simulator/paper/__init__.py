"""The paper's tables and figures: the sweeps behind them, the claims judged, the reproduction page."""
