"""A synthetic stock history in the shape of the paper's Yahoo! Finance data set (Section V).

2,031 stocks, open and close over 30 days; y is the price/earnings ratio, x the average recommendation, a real value
between 1 and 5 that stays what it is. The paper gives no distributions. Ours: the recommendation is 1 plus four times
the mean of three uniforms; earnings per share and the first ratio are log-normal (medians 2.5 and 18, sd of the
logarithm 0.7 and 0.6); the logarithm of the price walks by a Gaussian of sd 0.015 per half day, which changes ranks
slightly for most events, as the paper says. Prices are in cents, so some rows change nothing.
"""

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

from pipeline.distributions import STREAMS, standard_normals, uniform_column
from pipeline.traces import TraceSpec

__all__ = ["STOCKS", "STOCK_SPEC", "STOCK_SUBSCRIPTIONS", "stock_history"]

STOCKS = 2031
STOCK_DAYS = 30
#: Subscriptions of the paper's data set; it does not say how they are drawn: take "uniform" over x in [1, 5].
STOCK_SUBSCRIPTIONS = 400_000

STOCK_SPEC = TraceSpec("symbol", "time", "recommendation", "price_earnings", x_range=(1.0, 5.0))
#: Seconds into the day of open and close.
_HOURS = (34_200, 57_600)
_STEP_SD = 0.015


def stock_history(spark: SparkSession, seed: int, stocks: int = STOCKS, days: int = STOCK_DAYS) -> DataFrame:
    """Rows that `trace_frames` takes (name, seconds, x, y, file, row), `2 * stocks * days` of them."""
    for name, value in (("stocks", stocks), ("days", days)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    halves = 2 * days
    stock, half = sf.floor(sf.col("row") / halves).cast("long"), sf.col("row") % halves
    day = sf.floor(sf.col("row") % halves / 2)
    hours = sf.when(sf.col("row") % 2 == 0, _HOURS[0]).otherwise(_HOURS[1])
    rows = spark.range(stocks * halves).withColumnRenamed("id", "row").withColumns({"stock": stock, "half": half})
    shocks, _ = standard_normals(seed, STREAMS["stock steps"], "row")
    walk = sf.sum(sf.when(sf.col("half") > 0, sf.col("shock")).otherwise(0.0))
    rows = rows.withColumns({"shock": shocks, "seconds": (day * 86_400 + hours).cast("double")}).withColumn(
        "walked", walk.over(Window.partitionBy("stock").orderBy("half"))
    )
    earnings, ratio = standard_normals(seed, STREAMS["stock starts"], "stock")
    eps = sf.greatest(sf.round(sf.lit(2.5) * sf.exp(0.7 * earnings), 2), sf.lit(0.05))
    price = sf.greatest(
        sf.round(eps * sf.lit(18.0) * sf.exp(0.6 * ratio + _STEP_SD * sf.col("walked")), 2), sf.lit(0.01)
    )
    return rows.select(
        sf.concat(sf.lit("S"), sf.lpad(sf.col("stock").cast("string"), 6, "0")).alias("name"),
        "seconds",
        _recommendation(seed).alias("x"),
        (price / eps).alias("y"),
        sf.lit("").alias("file"),
        "row",
    )


def _recommendation(seed: int) -> Column:
    first = STREAMS["stock recommendations"]
    three = [uniform_column(seed, first + i, "stock") for i in range(3)]
    return sf.lit(1.0) + (three[0] + three[1] + three[2]) * sf.lit(4 / 3)
