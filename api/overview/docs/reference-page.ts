import { barLinks } from './guide-page.ts'

/**
 * The reference: the machine contract made browsable by Scalar, whose script loads on this page only. `reference.js`
 * switches off what would ask other hosts.
 */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<title>API reference · svc</title>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="/console/icon.svg">
<link rel="stylesheet" href="/console/docs/reference.css">
<script src="/console/theme.js"></script>
<script src="/docs/assets/scalar.js" defer></script>
<script type="module" src="/console/docs/reference.js"></script>
</head>
<body>
<div class="bar">${barLinks('api')}</div>
<noscript><p>The reference needs JavaScript. The same contract is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<div id="reference"></div>
</body>
</html>
`
