"""Names of tables that several studies use. Light: imports nothing."""

SIX = ("matbench_steels", "diabetes", "forest_fires", "concrete", "wine_red", "wine_white")
"""The paper's datasets."""
