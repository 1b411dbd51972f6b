import { html } from 'htm/preact'
import { get } from '../../api.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'

/**
 * @typedef {import('zod').output<typeof
 * import('../../../core/compile/wire/build/builder.ts').ListTemplatesAnswer>['templates'][number]} Template
 */
/** @typedef {{ templates: readonly Template[] }} Read */

/**
 * Buttons that fill the form with starter templates.
 *
 * @param {{ fill: (template: Template) => void }} props
 */
export function Starters({ fill }) {
  const read = useRead(async (signal) => /** @type {Read} */ (await get('/v1/builder/templates', signal)), [])
  return html`<section class="starters" aria-label="Start from">
    <p class="quiet">Start from your own examples, or from sample rows:</p>
    <${Reading} of=${read}>
      ${(/** @type {Read} */ { templates }) =>
        html`<div class="buttons">
          ${templates.map(
            (template) =>
              html`<button type="button" key=${template.id} onClick=${() => fill(template)}>${template.name}</button>`,
          )}
        </div>`}
    <//>
  </section>`
}
