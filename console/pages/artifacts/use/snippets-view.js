import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { CopyButton } from '../../../parts/buttons/copy.js'
import { Segments } from '../../../parts/buttons/segments.js'
import { CodeBlock } from '../../../parts/code-block.js'
import { SNIPPET_LANGUAGES, writeSnippet } from './snippets.js'
/** @typedef {import('./snippets.js').SnippetLanguage} SnippetLanguage */

/** @type {Readonly<Record<SnippetLanguage, string>>} */
const NEEDS = {
  curl: 'Needs curl.',
  python: 'Needs the client for Python: pip install ./clients/python in a checkout.',
  typescript: 'Needs the client for TypeScript: npm install ./clients/typescript in your project.',
  cli: 'Runs in a checkout.',
}

/**
 * Code that runs the artifact on one of its held-out rows.
 *
 * @param {{ versionId: string, recipe: import('../artifact.js').ReadRecipe }} props
 */
export function Snippets({ versionId, recipe: { example } }) {
  const [language, setLanguage] = useState(/** @type {SnippetLanguage} */ ('curl'))
  const input = /** @type {import('./snippets.js').Value} */ (example === null ? 'your input' : example.input)
  const text = writeSnippet(language, { origin: location.origin, versionId, input })
  return html`<section aria-labelledby="snippets">
    <h2 id="snippets">Use it from code</h2>
    <div class="toolbar">
      <${Segments} label="Language" options=${SNIPPET_LANGUAGES} chosen=${language} choose=${setLanguage} />
    </div>
    <p class="quiet">
      ${NEEDS[language]} The key comes from <code>SVC_API_KEY</code>.
      ${example === null ? ' The archive holds digests of its rows: put a value of your own in.' : ` The value is that of ${example.id}.`}
    </p>
    <${CodeBlock} label="Code that runs the artifact" text=${text} />
    <${CopyButton} text=${text} label="Copy" />
  </section>`
}
