# SPDX-License-Identifier: Apache-2.0
"""The results as one HTML page that needs nothing else: inline SVG, no script, no network."""

import html
import math

import results as r

COLOURS = {  # told apart by colour-blind readers too (Okabe and Ito)
    "native": "#0072b2",
    "portable": "#009e73",
    "vendor:cub": "#d55e00",
    "vendor:cublas": "#cc79a7",
    "vendor:openblas": "#d55e00",
    "vendor:thrust": "#8c4a1d",
    "vendor:cub:gpu_to_gpu": "#b8a800",
    "free_order": "#000000",
    "std:par_unseq": "#cc79a7",
    "kokkos": "#e69f00",
    "plain": "#56b4e9",
}
LADDER = "ladder:"  # its rungs have a chart of their own, coloured in the order in which they are climbed
RUNG_COLOURS = "#000000 #e69f00 #56b4e9 #009e73 #b8a800 #0072b2 #d55e00 #cc79a7 #7f7f7f #8c4a1d".split()
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; margin: 2rem auto; max-width: 70rem;
       padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid #ddd; padding-top: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: 0.15rem 0.7rem; text-align: right; } th { border-bottom: 1px solid #999; }
th.l, td.l { text-align: left; } tr.first td { border-top: 1px solid #e5e5e5; } td.bad { color: #b00020; }
pre { background: #f6f6f4; padding: 0.8rem; overflow-x: auto; } svg text { font: 12px system-ui, sans-serif; fill: #444; }
"""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 310, 64, 180, 28, 40


def escape(text):
    return html.escape(str(text))


def nice_top(value):
    """The least of 1, 2, 2.5, 5 times a power of ten that is not below the value."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value * (1 - 1e-9))


def chart(title, unit, curves, limit):
    """Curves {path: [(n, value)]} over log2 n, and a dashed line for the limit."""
    points = [p for curve in curves.values() for p in curve]
    if not points:
        return ""
    low = min(math.log2(max(n, 1)) for n, _ in points)
    high = max(math.log2(max(n, 1)) for n, _ in points)
    top = nice_top(max([v for _, v in points] + ([limit] if limit else [])))

    def x(n):
        return LEFT + (math.log2(max(n, 1)) - low) / max(high - low, 1) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)

    svg = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="{escape(title)}">']
    for step in range(5):
        value = top * step / 4
        svg.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#e5e5e5"/>')
        svg.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for n in sorted({n for n, _ in points}):
        svg.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{r.show_count(n)}</text>')
    svg.append(f'<text x="{LEFT - 50}" y="{TOP - 14}">{escape(unit)}</text>')
    if limit:
        svg.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(limit):.1f}" y2="{y(limit):.1f}" stroke="#777" '
            f'stroke-dasharray="5 4"/><text x="{WIDTH - RIGHT - 4}" y="{y(limit) - 5:.1f}" text-anchor="end">'
            "measured limit of memory</text>"
        )
    for position, (path, curve) in enumerate(curves.items()):
        rung = RUNG_COLOURS[position % len(RUNG_COLOURS)] if path.startswith(LADDER) else "#777777"
        colour = COLOURS.get(path, rung)
        line = " ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in curve)
        svg.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for n, v in curve:
            label = escape(f"{path}, n = {n}: {v:.4g} {unit}")
            svg.append(f'<circle cx="{x(n):.1f}" cy="{y(v):.1f}" r="3" fill="{colour}"><title>{label}</title></circle>')
        row = TOP + 12 + 18 * position
        svg.append(f'<rect x="{WIDTH - RIGHT + 14}" y="{row - 9}" width="10" height="10" fill="{colour}"/>')
        svg.append(f'<text x="{WIDTH - RIGHT + 30}" y="{row}">{escape(path.removeprefix(LADDER))}</text>')
    return "".join(svg) + "</svg>"


def rate_of(case):
    """GB/s, or for what moves no memory 10^9 elements a second."""
    if case["gb_per_s"] is not None:
        return case["gb_per_s"], "GB/s"
    return case["n"] / case["seconds"] * 1e-9, "10^9 elements/s"


def table(cases, ratios):
    rows = []
    for key, group in r.groups(cases).items():
        for position, case in enumerate(group):
            found = ratios.get((key, case["path"]))
            cells = [
                ("", r.show_count(case["n"]) if position == 0 else ""),
                ("l", case["path"]),
                ("", r.show_time(case["seconds"])),
                ("", r.show_number(case["gb_per_s"])),
                ("", r.show_percent(case["limit_fraction"])),
                ("l", r.show_ratio(found["ratio"], found["low"], found["high"]) if found else ""),
                ("l", found["verdict"] if found else ""),
                ("l", case["bits"] or ""),
            ]
            if not case["verified"]:
                cells[-2] = ("l bad", "FAILED: " + (case.get("reason") or ""))
            body = "".join(f'<td class="{style}">{escape(text)}</td>' for style, text in cells)
            rows.append(f'<tr{" class=first" if position == 0 else ""}>{body}</tr>')
    head = "".join(
        f'<th class="{style}">{escape(text)}</th>'
        for style, text in [
            ("", "n"), ("l", "path"), ("", "time"), ("", "GB/s"), ("", "of limit"), ("l", "time / reference, 95 %"),
            ("l", "verdict"), ("l", "bits of the result"),
        ]
    )  # fmt: skip
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def sections(cases, compared):
    ratios = {(r.case_key(c), c["path"]): c for c in compared}
    blocks = {}
    for case in cases:
        block = (case["backend"], case["algorithm"], case.get("variant") or "", case["type"], case["form"])
        blocks.setdefault(block, []).append(case)
    for (backend, algorithm, variant, type_name, form), members in blocks.items():
        title = f"{algorithm}{f'({variant})' if variant else ''}, {type_name}, {backend}, {form}"
        curves, unit, limit = {}, "", None
        for case in filter(r.usable, members):
            value, unit = rate_of(case)
            curves.setdefault(case["path"], []).append((case["n"], value))
            limit = case["limit_gb_per_s"] if unit == "GB/s" else None
        for curve in curves.values():
            curve.sort()
        rungs = {path: curve for path, curve in curves.items() if path.startswith(LADDER)}
        paths = {path: curve for path, curve in curves.items() if path not in rungs}
        charts = chart(title, unit, paths, limit) + chart(f"{title}: the ladder", unit, rungs, limit)
        yield f"<h2>{escape(title)}</h2>{charts}{table(members, ratios)}"


def page(results, summary, limit_algorithms):
    environment = results["environment"]
    cases = results["cases"]
    limits = [c for c in cases if c["algorithm"] in limit_algorithms]
    rest = [c for c in cases if c["algorithm"] not in limit_algorithms]
    facts = "".join(
        f'<tr><td class="l">{escape(k)}</td><td class="l">{escape(v)}</td></tr>' for k, v in environment.items() if v
    )
    measured = "".join(
        f'<tr><td class="l">{escape(c["backend"])}</td><td class="l">{escape(c["path"])}</td>'
        f"<td>{r.show_time(c['seconds'])}</td><td>{r.show_number(c['gb_per_s'])}</td></tr>"
        for c in limits
    )
    where = environment.get("gpu") or environment.get("cpu") or "this machine"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Twofold: {escape(where)}</title><style>{STYLE}</style></head><body>"
        f"<h1>Twofold on {escape(where)}</h1>"
        "<p>Every path was verified before it was timed; the paths of a case took their samples in turn. The ratio is "
        "a path's time over that of the library's best path, the median and 95 % interval of neighbouring samples: "
        "above 1 the path is slower.</p>"
        f"<pre>{escape(chr(10).join(summary))}</pre>"
        '<table><tr><th class="l">back end</th><th class="l">limit</th><th>time</th><th>GB/s</th></tr>'
        f"{measured}</table>{''.join(sections(rest, results['comparisons']))}"
        f"<h2>Environment</h2><table>{facts}</table></body></html>\n"
    )
