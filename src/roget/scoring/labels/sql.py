"""Generate SQL that counts contingency cells in the user's database. Pass the result to --cells."""

from __future__ import annotations

from roget.errors import InputError, UnknownName

DIALECTS = {"duckdb": '"', "postgres": '"', "spark": "`", "bigquery": "`"}
"""Map from SQL dialects to the quotation mark for identifiers."""


def make_query(
    dialect: str = "duckdb",
    gold: str = "gold",
    system: str = "system",
    *,
    item: str = "item",
    label: str = "label",
    group: str | None = None,
) -> str:
    """Return the SQL that joins two label tables by item and counts classes and clusters.

    Parameters
    ----------
    dialect
        duckdb, postgres, spark or bigquery.
    gold, system
        Names of the tables. A dot separates the schema from the table.
    item, label, group
        Column names, which must be the same in both tables.

    Returns
    -------
    str
        A query with the columns gold, system, count and, with `group`, group. Items without a
        system label have the system label NULL. Items that gold does not contain are dropped, as in
        `roget.score`.

    Examples
    --------
    >>> print(make_query("spark", "runs.gold", "runs.kmeans", item="doc"))
    SELECT g.`label` AS `gold`, s.`label` AS `system`, COUNT(*) AS `count`
    FROM `runs`.`gold` AS g
    LEFT JOIN `runs`.`kmeans` AS s ON s.`doc` = g.`doc`
    WHERE g.`label` IS NOT NULL
    GROUP BY g.`label`, s.`label`
    """
    if dialect not in DIALECTS:
        raise UnknownName("SQL dialect", dialect, DIALECTS)
    mark = DIALECTS[dialect]

    def quote(name: str) -> str:
        if not name or mark in name:
            raise InputError(f"invalid SQL name {name!r}", code="invalid-option")
        return mark + name + mark

    def quote_table(name: str) -> str:
        return ".".join(map(quote, name.split(".")))

    columns = {"gold": f"g.{quote(label)}", "system": f"s.{quote(label)}"}
    if group is not None:
        columns["group"] = f"g.{quote(group)}"
    shown = [f"{column} AS {quote(name)}" for name, column in columns.items()]
    shown.insert(2, f"COUNT(*) AS {quote('count')}")
    keys = [item] if group is None else [item, group]
    return "\n".join(
        [
            f"SELECT {', '.join(shown)}",
            f"FROM {quote_table(gold)} AS g",
            f"LEFT JOIN {quote_table(system)} AS s ON "
            + " AND ".join(f"s.{quote(key)} = g.{quote(key)}" for key in keys),
            f"WHERE g.{quote(label)} IS NOT NULL",
            f"GROUP BY {', '.join(columns.values())}",
        ]
    )
