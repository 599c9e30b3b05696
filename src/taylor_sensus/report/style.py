"""The page's looks: light and dark, on screen and on paper. No scripts, no fonts or images from elsewhere."""

from __future__ import annotations

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What browsers may load and run for the page: nothing but its own styles."""

CSS = """
:root{color-scheme:light dark;--paper:#fff;--card:#f6f7f9;--ink:#16181d;--soft:#5a6270;--rule:#d9dde3;
--good:#00674a;--fair:#8a5a00;--check:#a63603;--bar:rgba(86,180,233,.45);
--data:#4d4d4d;--rows:#0072b2;--truth:#007a59;
--outside:#d55e00;--chance:#d7d7d7;--input-0:#e69f00;--input-1:#efc159;--input-2:#f5d999;--input-3:#faeccc;
--system-noise:#78c3ed;--feature-noise:#ecb740;--epistemic:#ebc9dc}
@media screen and (prefers-color-scheme:dark){:root{--paper:#15171c;--card:#1d2027;--ink:#e8eaee;--soft:#a3abb8;
--rule:#363b45;--good:#4cc9a0;--fair:#e6b450;--check:#ff9466;--bar:rgba(86,180,233,.35);
--data:#b9bec7;--rows:#56b4e9;--truth:#4cc9a0;
--outside:#ff8a3c;--chance:#3d424c;--input-0:#e69f00;--input-1:#a97708;--input-2:#74530d;--input-3:#4c390f;
--system-noise:#2a6f9a;--feature-noise:#93700a;--epistemic:#66415a}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.5rem 1.2rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2;margin:.2em 0}
h2{font-size:1.25rem;margin:2.4rem 0 .4rem;padding-top:.6rem;border-top:1px solid var(--rule)}
h3{font-size:1.02rem;margin:1.4rem 0 .3rem}
p,ul{margin:.5rem 0;max-width:48rem}
.soft,figcaption,caption{color:var(--soft);font-size:.9rem}
nav a{margin-right:.9rem;white-space:nowrap}
a{color:inherit}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.8rem;margin:1rem 0}
.card{background:var(--card);border:1px solid var(--rule);border-left:.35rem solid var(--soft);border-radius:.4rem;
padding:.7rem .9rem}
.card b{display:block;font-size:.85rem;color:var(--soft);font-weight:600}
.card strong{display:block;font-size:1.15rem;line-height:1.3;margin:.15rem 0}
.good{border-left-color:var(--good)}.fair{border-left-color:var(--fair)}.check{border-left-color:var(--check)}
.good strong{color:var(--good)}.fair strong{color:var(--fair)}.check strong{color:var(--check)}
.warnings{list-style:none;padding:0}
.warnings li{border-left:.35rem solid var(--fair);background:var(--card);padding:.5rem .8rem;margin:.5rem 0;
border-radius:.3rem}
.figures{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
figure{margin:.6rem 0;flex:1 1 20rem;min-width:0}
.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:0 1rem}
.small figure{margin:.3rem 0}
.legend span{margin-right:1.2rem;white-space:nowrap}
.legend i{display:inline-block;width:1.6rem;height:.7rem;margin-right:.4rem;border-radius:.1rem}
svg{width:100%;height:auto;display:block;font-family:inherit}
svg text{fill:var(--ink)}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:.6rem 0;font-size:.92rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}
caption{text-align:left;padding:.2rem 0}
th,td{padding:.22rem .7rem;border-bottom:1px solid var(--rule);text-align:right;vertical-align:top}
th{color:var(--soft);font-weight:600;vertical-align:bottom}
.words{text-align:left}
td{white-space:nowrap}
td.words{max-width:24rem;white-space:normal}
code{overflow-wrap:anywhere}
.own td{font-weight:700}
.bar{background:linear-gradient(to left,var(--bar) var(--share),transparent var(--share))}
details{margin:.6rem 0}summary{cursor:pointer;color:var(--soft)}
code{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.88em}
@media print{body{max-width:none;padding:0;font-size:10pt}nav{display:none}
h2,h3,section>p{break-after:avoid-page}.figures,.small{break-before:avoid-page}.cards{grid-template-columns:1fr 1fr}
.figures,figure,tr,.card,.warnings li{break-inside:avoid}.wide{overflow:visible}
td,th{padding:.12rem .4rem}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
