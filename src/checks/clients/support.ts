// This file is generated from the data of caniemail.com, which is published under the MIT licence by Rémi Parmentier:
// node .build/client-support.js

/**
 * The features, one a line: slug, title, and a letter for each client: y supported, a partly, n not, u unknown, - not
 * tested.
 */
export const FEATURES = `
amp|AMP for Email|nnyyynnnnnnnnnnyyynnnnnnnnnnnnynnnnnnnnnn
bimi|BIMI|yyyyynnnnnnnnnnyyynnnnnnnnnnnnnyyn-------
css-accent-color|accent-color|yynnnnnnnnnnnnnnnnnnnyynn-nnnyyn---------
css-align-items|align-items|yynnnnnnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-animation|animation|yynnnnnnnnnynnnnnnnnnyannnnnnynyanyynyyay
css-aspect-ratio|aspect-ratio|yynnnnnnnnnnnnnnnnnnnnyyynyyyyynynyynyyyy
css-at-font-face|@font-face|yynnnnnnnanynnnnnnnnnynnnynnyynnnnynnynyn
css-at-import|@import|yynnnnnnnyyynnnnnnnnnnnnnnnnyynnnnynnynyn
css-at-keyframes|@keyframes|yynnnnnnnnnynnnynnynnynnnynnnynynnyynyyay
css-at-media-device-pixel-ratio|@media (-webkit-device-pixel-ratio)|yynnnnyyynnyyyynnnnnnynnnnnnyynynnyynyyyy
css-at-media-hover|@media (hover), @media (any-hover)|yynnnnuuunnyyyynnnnnnynnnuyyyunun--------
css-at-media-orientation|@media (orientation)|yaynynyyynnyyyynnnnnnynnnnnnnyyynyyyyyyyy
css-at-media-prefers-color-scheme|@media (prefers-color-scheme)|yynnnnyyynnyyyynnnnnnynnnnnnnnnynnyynyyyy
css-at-media-prefers-reduced-motion|@media (prefers-reduced-motion)|yynnnnyyynnyyyynnnnnnyynnnaaaynnnnyynyyyy
css-at-media|@media|yyaaanyyynnyaaaaaaaaaannnnaayyaynyyyyyyyy
css-at-supports|@supports|yynnnnyyynnynnnyyyyyyynnnnnnyynnnnyynyyyy
css-backdrop-filter|backdrop-filter|yynnnnununnynnnnnnnnnyyyyuyyyuyuunuunuuuu
css-background-blend-mode|background-blend-mode|yyyaannnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-background-clip|background-clip|yyyaannnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-background-color|background-color|yyyyyyaaayyyyyyyyyyyyyyyyyyyyyyyyayyayyyy
css-background-image|background-image|yyyyyyyyynnyyyyaaaaaayyyyyyyyyyyyayyayyyy
css-background-origin|background-origin|yyyaannnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-background-position|background-position|yyyyyyyyynnyyyyyyyyyyyyyyyyyyyyyyayyayyyy
css-background-repeat|background-repeat|yyyyyyyyynnyyyyyyyyyyyyyyyyyyyyyyayyayyyy
css-background-size|background-size|yyyaannnnnnyyyyyyyyyyyyyyyyyyyyyynyynyyyy
css-background|background|yyyyyyaaaaayyyyaaaaaayyyyyyyyyyyyayyayyyy
css-block-inline-size|block-size & inline-size|yynnnnnnunnnnnnnnnnnnyyyuyyyyyyyynyynyyyy
css-border-collapse|border-collapse|yyyyyyuuuyyyyyyyyyyyyyyyyyyyyuyuuyuuyuuuu
css-border-image|border-image|yynnnnnnnnnynnnnnnnnnyyyyyyyyyyyynyynyyyy
css-border-inline-block-individual|border-inline & border-block individual logical properties|yynnnnuuunnannnnnnnnnayyyuyyyuyuunyynyyyy
css-border-inline-block-longhand|border-inline & border-block longhand properties|yynnnnuuunnynnnnnnnnnyyyyuyyyuyuunyynyyyy
css-border-inline-block|border-inline & border-block|yynnnnuuunnnnnnnnnnnnnyyyuyyyuyuunyynyyyy
css-border-radius-logical|border-radius logical properties|yynnnnuuunnnnnnnnnnnnnyyyuyyyuyuu--------
css-border-radius|border-radius|yyyyyynnnnnyyyyaaaaaayyyyyyyyyyyynyynyyyy
css-border-spacing|border-spacing|yyyyyyuuunnnyyyyyyyyyyyyyyyyyuyuuyuuyuuuu
css-border|border|yyyyyyyyyaayyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-box-shadow|box-shadow|yynaannnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-box-sizing|box-sizing|yyyyynnnnnnyyyynnnnnnyyyyyyyyyyyyyyyyyyyy
css-caption-side|caption-side|yyyyyyyyynnyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-clear|clear|yyyyauuuunnuyyaaaaaaayuuuuyyyuyuuauuauuuu
css-clip-path|clip-path|yynnnnnnnnnynnnnnnnnnyyyyyyyyyayynyynyyyy
css-color-scheme|color-scheme CSS property|yynnnnuuununnnnnnnnnnyanyyynnnnnunuunuuuu
css-column-count|column-count|yyyyynyyynnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-column-layout-properties|css column properties|yyyyyyuuunnyyyynnnnnnyyyyyyyyyyyu--------
css-comments|CSS comments|yyyyaannnyyyyyyyaayaayaaayyyyuauanuunuuuu
css-conic-gradient|conic-gradient()|yynnnnnnnnnynnnnnnnnnayyyyyyyyyyy--------
css-cursor|cursor|annnnnuuuuunnnnanauuuuuuuyauuuuuuanyuuuuu
css-direction|direction|yyyyyayyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-display-flex|display:flex|yyyaaynnnnnyyyyyyyyyyyyyyyyyyyyyynyynyyyy
css-display-grid|display:grid|yyyaaynnnnnyyyyyyyyyyyyyyyyyyyyyynyynyyyy
css-display-none|display:none|yyyyynyyyaayyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-display|display|yyyaayaaaaayyyyaaaaaayyyyyyyyyyayayyayyyy
css-empty-cells|empty-cells|yyyyyuuuunnyyyyynnynnyuuu-yyyunu---------
css-filter|filter|yynnnnnnnnnynnnnnnnnnyyyyyyyyyanynyynyyyy
css-flex-direction|flex-direction:column|yynnnnnnnnnyyynnnnnnnyyyyyyyyyyyynyynyyyy
css-flex-wrap|flex-wrap: wrap|yynnnnnnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-float|float|yyyaayyyynnyyyyaaaaaayyyyyyyyyyyyayyayyyy
css-font-kerning|font-kerning|yyyyyy---n-yyyynnnn--yyuuyyyy-n--n-------
css-font-size-adjust|font-size-adjust|yyyaayuuunnyyyyaaauuuuuuuyyyyuyuuayyauuuu
css-font-size|font-size|yyyyyyuuuaayyyyaaaaaaauuuyyyyuyuuauuauuuu
css-font-stretch|font-stretch|yyyyny---n-yyynnnnnn-nyynyyyu-y--u-------
css-font-weight|font-weight|yyyyyyayyaayyyyaaaaaayyyyyyyyyyyyyyyyyyyy
css-font|font shorthand|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-function-clamp|clamp()|yyyaaynnnnnnnnnnnnnnnayyyyyyyyynynyynyyyy
css-function-light-dark|light-dark()|yynnnnnnunnnnnunnunnuaaauyayuaauan-------
css-function-max|max()|yyyaaynnnnnynnnnnnnnnayyyyyyyyynynyynyyyy
css-function-min|min()|yyyaaynnnnnynnnnnnnnnayyyyyyyyynynyynyyyy
css-gap|gap, column-gap, row-gap|yyaaannnnnnyaaannnnnnyyyyyyyyyyayn-------
css-grid-template|grid-template-* properties|yynnnnnnnnnynnnnnnnnnyyyyyyyyyynynuuuuuuu
css-height|height property|yyyyyyyyyayyyyynnnnnnyyyyyyyyyyyyyyyyyyyy
css-hyphenate-character|hyphenate-character|yynnnnuuunnnnnnnnnnnnyuuu-yyyuauunuunuuuu
css-hyphenate-limit-chars|hyphenate-limit-chars|nnnnnnuuunnnnnnnnnnnnnuuunuuuuyuunuunuuuu
css-hyphens|hyphens|yynnnuuuunnynnnnnnnuuyyyy-uuuuyu---------
css-important|!important keyword|yyaaaannnaayyyyaaaaaayyaayaaayyyynyynyyyy
css-inert-attribute|inert|yynnnnuuunnnnnnnnnnnnyuuuuuuuuuuuuuuuuuuu
css-inline-size|inline-size|nnnnnnnyynnnnnnnnnnnnyyyyyyyyyynynyynyyyy
css-inset|inset|yynnnnuuunnnnnnnnnnnnnuuuyuuuunuunuunuuuu
css-intrinsic-size|fit-content, min-content, max-content|yyyayynnnnnyyaannnnnnnyyyyyyyyyyy--------
css-justify-content|justify-content|yynnnnnnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-left-right-top-bottom|left, right, top, bottom|yynnnnyyynnyyyynnnnnnayyyyyyyyayyyyyyyyyy
css-letter-spacing|letter-spacing|yyyyyyyyyaayyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-line-height|line-height|yyyyyyyaaaayyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-linear-gradient|linear-gradient()|yyyyaynnnnnnnnnnnnnnnayyyyyyyyyyynyynyyyy
css-list-style-image|list-style-image|yynnnnnyynnynnnnnnnnnyyyyynynyyyyyyyyyyyy
css-list-style-position|list-style-position|yyyyyyyyynnyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-list-style-type|list-style-type|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-list-style|list-style|yyaaaayyyaayyyyaaaaaayyyyyaynyyyyyyyyyyyy
css-margin-block-start-end|margin-block-start & margin-block-end|yynnnnuuunnynnnnnnnnnyuuuuyyyuyuunyynyyyy
css-margin-inline-block|margin-inline & margin-block|yynnnnyyynnnnnnnnnnnnnyyyyyyyyyyynyynyyyy
css-margin-inline-start-end|margin-inline-start & margin-inline-end|yynnnnuuunnynnnnnnnnnyuuuuyyyuyuunyynyyyy
css-margin|margin|yyaaaayyyaayaaaaaaaaayyyyyyyyyayyyyyyyyyy
css-mask-image|mask-image|yynnnnuuunnynnnnnnnnnyuuu-uuuuyuunuunuuuu
css-max-block-size|max-block-size|yynnnuuuunnynynnnnnuuy----yyyuyu---------
css-max-height|max-height property|yyyyyyyyynnyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-max-inline-size|max-inline-size|yynnnnuuunnnnnnnnnnnnyuuu-yyyuyuunuunuuuu
css-max-width|max-width|yyyyyyyyyaayyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-min-block-size|min-block-size|yynnnnuuunnnnnnnnnnnnyuuu-yyyuyuunuunuuuu
css-min-height|min-height property|yyyyyyyyynnyyyyyyyyyyyynyyynyyyyyyyyyyyyy
css-min-inline-size|min-inline-size|yynnnnuuunnynynnnnnuuyuuu-yyyuyu---------
css-min-width|min-width property|yyyyyyyyynnyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-mix-blend-mode|mix-blend-mode|yyyaannnnnnyyyynnnnnnyyyyyyyyyynynyynyyyy
css-modern-color|lch(), oklch(), lab(), oklab()|yynnnnuuunuynnnnnnnnnnuuunyynyyyu--------
css-nesting|CSS Nesting|aynnnnaaunnnnnnnnnnuuaanuyyaaunuuuuuuuuuu
css-object-fit|object-fit|yyyaannnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-object-position|object-position|yyyaannnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-opacity|opacity|yyyyynnnnnnyyyyyyynnnyyyyyyyyynyynyynyyyy
css-orphans|orphans|yynnnnuuunnyyyynnnnnnyuuu-yyyuyuunuunuuuu
css-outline-offset|outline-offset|yynnnnnnnnnnnnnnnnnnnyyyyyyyyyyyyn-------
css-outline|outline|yyyyyynnnnnyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-overflow-wrap|overflow-wrap|aannnuuuunnynnnnnnnuuyuuu-uuuuyu---------
css-overflow|overflow|aaaaaaayynnaaaaaaaaaaayyyyaaayayyaaaaaayy
css-padding-block-start-end|padding-block-start & padding-block-end|yynnnnuuunnynnnnnnnnnyuuuuyyyuyuunyynyyyy
css-padding-inline-block|padding-inline & padding-block|yynnnnuuunnnnnnnnnnnnnuuuuyyyuyuunyynyyyy
css-padding-inline-start-end|padding-inline-start & padding-inline-end|yynnnnuuunnynnnnnnnnnyuuuuyyyuyuunyynyyyy
css-padding|padding|yyyyyyyyyaayyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-position|position|aannnnaaannyanaaaaaaaaaaayyyyanaayyyyyyyy
css-pseudo-class-active|:active|annnnnynynnyanyyyyynynnnnyyyyynynyyyyyyyy
css-pseudo-class-checked|:checked|yynnnnnnnnnyaaayyyyyyynnnynnnnnynnynnynnn
css-pseudo-class-default|:default|yynnnnuuunnyayyyyyyyyuuuuynnnuyuunynnuuuu
css-pseudo-class-first-child|:first-child|yynnnnyyynnyayyyyyyyyynnnynnyynynyyyyyyyy
css-pseudo-class-first-of-type|:first-of-type|yynnnnyyynnyayyyyyyyyynnnynnyynynnyynyyyy
css-pseudo-class-focus-visible|:focus-visible|yunnnnuuunuaauayuyyuyyuuuuuuuuuuuuuuuuuuu
css-pseudo-class-focus-within|:focus-within|yunnnnuuunuanuayuyyuyyuuuuuuuuuuuuuuuuuuu
css-pseudo-class-focus|:focus|ynnnnnynynnyanyyyyynyynnnyyyyynynyynyynyn
css-pseudo-class-has|:has()|yynnnnynnnnnnnnnnnnnnynnnnyynynynnyynyyyy
css-pseudo-class-hover|:hover|yyynanyyynnyanyyyyynyynnnyyyyynynnyynyyyy
css-pseudo-class-lang|lang()|yynnnnuuunnnnyynnnnnnynuuuyyyunun--------
css-pseudo-class-last-child|:last-child|yynnnnyyynnyayyyyyyyyynnnynnyynynyyyyyyyy
css-pseudo-class-last-of-type|:last-of-type|yynnnnyyynnyayyyyyyyyynnnynnyynynnyynyyyy
css-pseudo-class-link|:link|yynnnnyyyyyyayyyyyyyyynnnynnyynynyyyyyyyy
css-pseudo-class-not|:not|yynnnnyyynnynnnnnnnnnynnnynnyynynnyynyyyy
css-pseudo-class-nth-child|:nth-child|yynnnnyyynnynnnnnnnnnynnnynnyynynnyynyyyy
css-pseudo-class-nth-last-child|:nth-last-child|yynnnnyyynnynnnnnnnnnynnnynnyynynnyynyyyy
css-pseudo-class-nth-last-of-type|:nth-last-of-type|yynnnnyyynnynnnnnnnnnynnnynnnynynnyynyyyy
css-pseudo-class-nth-of-type|:nth-of-type|yynnnnyyynnynnnnnnnnnynnnynnnynynnyynyyyy
css-pseudo-class-only-child|:only-child|yynnnnyyynnyayyyyyyyyynnnynnyynynyyyyyyyy
css-pseudo-class-only-of-type|:only-of-type|yynnnnyyynnyayyyyyyyyynnnynnyynynyyyyyyyy
css-pseudo-class-target|:target|nnnnnnnnynnyayyyyyynyynnnynnynnnnyynyynnn
css-pseudo-class-visited|:visited|nnnnnnynnnnyayyyyyynynnnnynnnynynynnynnyn
css-pseudo-element-after|::after|yynnnnnnnnnaaannnnnnnynnnynnyynynnyynyyyy
css-pseudo-element-before|::before|yynnnnnnnnnaaannnnnnnynnnynnyynynnyynyyyy
css-pseudo-element-first-letter|::first-letter|yynnnnyynnnaaanyyyyyyynnnynnyynynyyyyyyyy
css-pseudo-element-first-line|::first-line|yynnnnyynnnaaanyyyyyyynnnynnyynynyyyyyyyy
css-pseudo-element-marker|::marker|yynnnnyynnnynnnyyyyyyynnnyyynynyn--------
css-pseudo-element-placeholder|::placeholder|yynnnnnnnnnaaanyyyyyyynnnynnnnnynnynnynnn
css-radial-gradient|radial-gradient()|yyyyayyyynnnnnnnnnnnnyyyyyyyyyyyynyynyyyy
css-resize|resize|annnnuununnnnnnnnnnnnyunuuunuuyuunnunnuuu
css-rgb|rgb()|yyaaaaaaaaayyyyaaaaaayyyyyyyyyyyyayyayyyy
css-rgba|rgba()|yyaaaannnnnyyyyaaaaaayyyyyyyyyyyynyynyyyy
css-scroll-snap|scroll-snap|yynnnnnnnnnnnnnnnnnnnyyyyyyyyyyny--------
css-selector-adjacent-sibling|Adjacent sibling combinator|yyyaanyyynnyyyyyyyyyyyynnynnyyyyyayyayyyy
css-selector-attribute|Attribute selector|yyaaanyyynnyaaaaaaaaayynnynnnyayynyynyyny
css-selector-chaining|Chaining selectors|yyyaanyyynnynyyyyyyyyyynnynnyyyyyayyayyyy
css-selector-child|Child combinator|yyyaannyynnyyyyyyyyyyyynnynnyyyyynyynyyyy
css-selector-class|Class selector|yyyaanyyyyyyyyyyyyyyyyynnynnyyyyyyyyyyyyy
css-selector-descendant|Descendant combinator|yyyaanyyyyyyyyyyyyyyyyynnynnyyyyyayyayyyy
css-selector-general-sibling|General sibling combinator|yyyaanyyynnyyyyyyyyyyyynnynnyyyyynyynyyyy
css-selector-grouping|Grouping selectors|yyyaanyyyyyyyyyyyyyyyyynnynnyyyyyayyayyyy
css-selector-id|ID selector|yyyaanyyyyyyyyyyyyyyyyynnynnyyyyyyyyyyyny
css-selector-type|Type selector|yyyaanyyyyyyyyyyyyyyyyynnynnyyyyynyynyyyy
css-selector-universal|Universal selector *|yyyaanyyynnyyyyyyyyyyyynnynnyynyyyyyyyyyy
css-shape-margin|shape-margin|yynnnnuuunnynnnnnnnnnyuuuyuuuuyuu--------
css-shape-outside|shape-outside|yynnnnuuunnynnnnnnnnnyuuuyuuuuyuu--------
css-sytem-ui|system-ui, ui-serif, ui-sans-serif, ui-rounded, ui-monospace|yyyyayyyannyyyayyayyaayyaayyayyyyy-------
css-tab-size|tab-size|yynnnuuuunnyyynnnnnuuyuuu-yyyunu-nynnynyn
css-table-layout|table-layout|yyyyyuuuunnyyyyyyyyuuyuuu-yyyuyu---------
css-text-align-last|text-align-last|yyyyyy---n-nnnnnnnn--y----yyy-y----------
css-text-align|text-align|yyyyaaaaaaayyyyaaaaaaayyyyyyyyyyyayyayyyy
css-text-decoration-color|text-decoration-color|yyyaannyynnayyyyyyyyyyyyyyyyyyyyynyynyyyy
css-text-decoration-line|text-decoration-line|yyyyyyuuunnyyyyyyyyynyuuuyyyyuyuunuunuuuu
css-text-decoration-skip-ink|text-decoration-skip-ink|yynnnnnnunnnnnnnnnnnnyyuuyyyyyyyynuunuuuu
css-text-decoration-style|text-decoration-style|yyyyyyuuunnyyyyyyyyynyuuuyyyyuyuunuunuuuu
css-text-decoration-thickness|text-decoration-thickness|yynnnnnynnnynnnnnnnnnyyynyyyyyyyynyynyyyy
css-text-decoration|text-decoration|yyyaayynyaayyyyyyyyyyyynyyynyyyyyaayaayyy
css-text-emphasis-position|text-emphasis-position|yynnnnuuunnynnnnnnnnnnuuuuyyyuyuunyynyyyy
css-text-emphasis|text-emphasis|yyyynnuuunnyyynnnnnnnnuuuuyyyuyuunyynyyyy
css-text-indent|text-indent|yyaaaayyyyyyyyyaaaaaayyyyyayyyayyyyyyyyyy
css-text-justify|text-justify|nnannauuuannannannnnnnuuuuanyuauuauunuuuu
css-text-orientation|text-orientation|yyyyyyuuunnnyyynnnnnnyuuuyyyyuyuunuunuuuu
css-text-overflow|text-overflow|yyyaaynyynnyyyynnnnnnnyyyyyyyyyyynyynyyyy
css-text-shadow|text-shadow|yynnnnyyynnynnnyyyyyyyyyyyyyyyyyyyyyyyyyy
css-text-transform|text-transform|yyyyyyyyyaayyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-text-underline-offset|text-underline-offset|yynnnnnynnnnnnnnnnnnnyyynyyyyyyyynyynyyyy
css-text-underline-position|text-underline-position|aayayyuuunnnyaynnnnnnyuuuyyyyuyuunuunuuuu
css-text-wrap|text-wrap|yynnnnuuunnnnnnnnnnnnyuuuuyyyuyuunuunuuuu
css-transform|transform|yynnnnnnnnnynnnnnnnnnyyyyyyyyynyynyynyyyy
css-transition|transition|yynnnnnnnnnnnnnaaaaaaaynnyynuayyyuuuuuuuu
css-unit-calc|CSS calc() function|yyyaaynnnnnynnnnnnnnnyyyyyyyyyyyynyynyyyy
css-unit-ch|ch unit|yyyyyynnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-unit-cm|cm unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-em|em unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-ex|ex unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-in|in unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-initial|initial unit|yyaaaynnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-unit-mm|mm unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-pc|pc unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-percent|% unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-pt|pt unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-px|px unit|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-unit-rem|rem unit|yyyyyynnnnnyyyynnnnnnyyyyyyyyyyyynyynyyyy
css-unit-vh|vh unit|yayyyynnnnnyyyyyyyyyyyyynyyyyyynynyanyayy
css-unit-vmax|vmax unit|yyyyyynnnnnyyyynnnnnnyyyyyyyyyyyynyanyayy
css-unit-vmin|vmin unit|yyyyyynnnnnyyyynnnnnnyyynyyyyyyyynyanyayy
css-unit-vw|vw unit|yyyyyynnnnnyyyyyyyyyyyyyyyyyyyynynyynyyyy
css-user-select|user-select|yannnuuuunnnnnnnnnnnnyuuuuaaauyuunuunnuuu
css-variables|CSS Variables (Custom Properties)|yynnnnnnnnnynnnnnnnnnyyyyyyyyynnynyynyyyy
css-vertical-align|vertical-align|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
css-visibility|visibility|yynnnnnnnnnyyyyyyynyyyyyyyyyyyyyyyyyyyyyy
css-white-space-collapse|white-space-collapse|yynnnnuuunnnnnnnnnnnnyuuu-yyyuyu---------
css-white-space|white-space|yyyaayyyynnyyyyyaayyynyyayyyyyyyyyyayyaya
css-widows|widows|yynnnnuuunnyyyynnnnnnyuuu-yyyuyuunuunuuuu
css-width|width property|yyyyyyyyyayyyyyyyyyyyyyyyyyyyyyyayyyyyyyy
css-word-break|word-break|aayaaaannynaaaannnnnnayyyyyaaayyynynnynyn
css-word-spacing|word-spacing|yyyyyyuuunnyyyyaaaaanyuuuyyyyuyuuauuauuuu
css-word-wrap|word-wrap|yya-a----nn-yyny-------------------------
css-writing-mode|writing-mode|yyyaaynnnnnyyyynnnnnnyyyyyyyyyynynyynyyyy
css-z-index|z-index|yynnnnyyynnyyyyyyyyyyyyyyyyyyynyyyyyyyyyy
html-abbr|<abbr> element|yyyyyynnunnyyyynnnnnnyyyuyyyunnyyy--y----
html-acronym|<acronym> element|yyyyyyuuunnyyyynnnnnnyyyyyyyyunuuy--y----
html-address|address|yyyyyynnnyyyyyyyyyyyyyyyyyyyyyyyyyynyynnn
html-align|align attribute|yyyyyyyyyyyayyyyyyyyyyyyyyayyayyyyyyyyyyy
html-anchor-links|Local anchors|yyynyynnyyyyyyyannaynnnnnyynnnyynyynyynyy
html-aria-describedby|aria-describedby attribute|yynnnnnnnnnyyyynnnnnnyyyynyyynnnynynnynyn
html-aria-hidden|aria-hidden attribute|yyyyyynnnynyyyynnnnnnyyyynyyynyyynynnynyn
html-aria-label|aria-label attribute|yyyyyynnnynyyyynnnnnnyyyynyyynyyynynnynyn
html-aria-labelledby|aria-labelledby attribute|yynnnnnnnnnynyynnnnnnyyyynyyynynynynnynyn
html-aria-live|aria-live attribute|yyyyyynnnanynnnnnnnnnyyyynyyynyyynynnynyn
html-audio|<audio> element|yynnnnnnnnnnnnnnnnnnnyyyyynnnnnnnnnnnnnny
html-background|background attribute|yyyaayyyyanyyyyyyyyyyyyyyyyyynyyyyyyyyyyy
html-base|<base>|yyaaaannnynaaanaaaaaaynnnyannanannynnynyn
html-bdi|<bdi> element|yynnnnnnnnnynnnnnnnnnyyyyyyyynnyynynnynnn
html-blockquote|<blockquote> element|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyayyyyyyyyyyy
html-body|<body> element|yyaaaaaaayynaaaannannynnnynnnannnyyyyyyyy
html-button-reset|<button type="reset"> element|yyyayyyyynnyynynnnnnnyayyayynnayynynnynan
html-button-submit|<button type="submit"> element|yyyayyyyynnnnnyynyyyyyayyyyynnayynynnynan
html-cellpadding|cellpadding attribute|yyyyyyuuuyyyyyyyyyyyyyuuuyyyyuyuuyuuyuuuu
html-cellspacing|cellspacing attribute|yyyyyyuuuyyyyyyyyyyyyyuuuyyyyuyuuyuuyuuuu
html-code|<code> element|yyyyyynnnyyyyyyyyyyyyyyyyyyyyyyyyy--u----
html-comments|HTML comments|yyyyyyuuuyyyyyyyyyyyyyuuuyyyyuyuuyuuyuuuu
html-del|<del> element|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
html-dfn|<dfn> element|yyyyyyuuuaayyyyyyyyyyyyyyyyyyunuuy--y----
html-dialog|<dialog> element|yynnynnnnnnynnnnnnnnnyyyyynnynnnynynnynnn
html-dir|dir attribute|yyyyyaaaaaayyyyyyyyyyyyyyyyyyyyyynyynyyyy
html-div|<div> element|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
html-doctype|HTML5 doctype|yyyyyyynynyyyyyyynyynnynynynnnyyyyyyyyyny
html-form|<form> element|yyyayynnnnnnayyynyyyyynyyynnnnnnnnynnynnn
html-h1-h6|<h1> to <h6> elements|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
html-height|height attribute|yyyyyyyyyayyyyyyyyyyyyyyyyyyynyyyyyyyyyyy
html-hidden|hidden attribute|yynnnnuuunnnnnnnnnnuuyyyyyyyyuauunuunuuuu
html-hr|<hr> element|yyyyyyuuuyyyyyyyyyyyyyyyyyyyyuyuuu--u----
html-image-maps|Image maps|yyyyyyyyyynyyyyyynynnyyyyyyynnyyyyyyyyyyy
html-img|<img> element|yyyyyyyyuyyyyyyyyyyyyyyyuuyyuyyyyu--u----
html-input-checkbox|<input type="checkbox"> element|yyyyyynnnnnyyyyyyyyyyynnnannnnyynnynnynnn
html-input-hidden|<input type="hidden"> element|yyyyyynnnnnyyyyyyyyyyynnnannnnyynnynnynnn
html-input-radio|<input type="radio"> element|yyyyyynnnnnyyyyyyyyyyynnnannnnyynnynnynnn
html-input-reset|<input type="reset"> element|yyyayynnnnnyyyyyyyyyyynnnannnnyynnynnynnn
html-input-submit|<input type="submit"> element|yyyayynnnnnnnyyynyyyyynnnynnnnyynnynnynnn
html-input-text|<input type="text"> element|yyyyyynnnnnyyynyynyyynnnnannnnyynnynnynnn
html-lang|lang attribute|yyyyyynyyyyyyyyaaaayyyyyyyyyynyyynynnynnn
html-link|<link> element|yynnnnnnnyyynnnnnnnnnnnnnnnnnnnnnnynnynnn
html-lists|<ul>, <ol> and <dl>|yyaaaayyyaaaaaaaaaaaayyyyyyyyyayyyyyyyyyy
html-loading-attribute|loading attribute|yynnnnnnnnnynnnnnnnnnyynnyynnaynynynnynnn
html-mailto-links|mailto: links|yyyyyyanayyyyyyyyayyayyyyyyyayyyyyyyyyyay
html-marquee|<marquee> element|yynnnnnyynnyayyayyayyyyyyyayynnnanynnynnn
html-meta-color-scheme|color-scheme meta tag|ynnnnnuuunnnnnnnnnnnnnnnnynnnnnnunuunuuuu
html-meter|<meter> element|yynnannnnnnyyyynnnnnnyyyyyyyynnyynynnynnn
html-object|<object> element|aynnnnnnnnnannnnnnnnnannnannnnnnnnannannn
html-p|<p> element|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
html-picture|<picture> element|aynnnnnnnnnynnnnnnnnnyyyyynnnnnnynynnynnn
html-popover|popover attribute|yynnnnuuunnnnnnnnnnnuaynynnnunanuuuuuuuuu
html-pre|<pre> element|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy--uuuuu
html-progress|<progress> element|yynnannnnnnynnnnnnnnnyyyyyyyynnyynynnynnn
html-required|required attribute|yynnannnnnnynyynnnnnnyanyyannnnyanynnynnn
html-role|role attribute|yyyyyynnnynyyyyaaaaaayyyyyyyynyyynynnynnn
html-rp|<rp> element|yynnannnnnnyyyyyyyyyyyyyyyyyynnyynynnynnn
html-rt|<rt> element|yynnannnnnnyyyyyyyyyyyyyyyyyynnyynynnynnn
html-ruby|<ruby> element|yynnannnnnnyyyyyyyyyyyyyyyyyynnyynynnynnn
html-select|<select> element|yayayyyyynnyyyyynyyyyynnnayyynyynnynnynyn
html-semantics|HTML5 semantics|yyaaaaaaannyaaannnnnnyyyyyyyyanyynynnynan
html-small|<small> element|yyyyyynnnyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyny
html-span|<span> element|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
html-srcset|srcset and sizes attributes|yynnnnnnnnnynnnnnnnnnyyyyynnnnnnynynnynnn
html-strike|<strike> element|yyyaayyyyyyyyyyyyyyyyyyyyyyyynyyyyyyyyyyy
html-strong|<strong> element|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
html-style|<style> element|yyaaanyyyaayyyyyyyyyyynnnyyaayyynnyynyyyy
html-svg|Embedded <svg> image|aynnnnyyynnynnnnnnnnnyyyyyyyynnnynynnynnn
html-table|<table> element|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
html-target|target attribute|aannnnnnnaaanaannnnnnaynnannnnnnynannannn
html-textarea|<textarea> element|yyyyyyyyynnyyynyynyyynnnnayyanyynnynnynyn
html-valign|valign attribute|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
html-video|<video> element|yannnnnnnnnynnnnnnnnnayyyynnnnnnnnynnynnn
html-wbr|<wbr> element|yyynaynynnnyyyyyyyyyyyyyyyyyynnyynnnnnnyn
html-width|width attribute|yyyyyyyyyayyyyyyyyyyyyyyyyyyynyyyyyyyyyyy
image-apng|Animated PNG image format|yynynnyyynnyyynyyyyyyyyyyyyyyyyyyyyyyyyyy
image-avif|AVIF image format|yyaaaaynynnyyyyyyyyyyyynyyyyyynnynnnnnnnn
image-base64|Base 64 image format|yynnnnyyyanyyyyyyyyyyynyyyyyynyynayyayyyy
image-bmp|BMP image format|yyayaayyyyyyyyyyyyyyyyyyyyyyyyyyyynyynyyy
image-gif|GIF image format|yyyyyyyyyayyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
image-hdr|HDR image format|nnnnnnyynnnnnnnnnnnnnnyynnnnnnnnnnnnnnnnn
image-heif|HEIF image format|yyaaaannnnnnnynaynaynnnnnnaynnnnnnnnnnnnn
image-ico|ICO image format|yyyyyyyyynyyyyyyyyyyyyyynyyyyyyyyyyyyyyyy
image-jpg|JPG image format|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
image-mp4|Video as Image Assets|yynnnnyynnnyyynyynyynnyynnyynnnnynynnynnn
image-png|PNG image format|yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
image-svg|SVG image format|yynaanyyyyynyyyyyyyyyyyyyyyyyynyyyyyyyyyy
image-tiff|TIFF image format|yyayaanynnyynynnynnynnyynnyynynnynynnynnn
image-webp|webP image format|yyaaaayyynynyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
`;
