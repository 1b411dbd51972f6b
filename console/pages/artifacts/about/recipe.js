import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { get, withQuery } from '../../../api.js'
import { CopyButton } from '../../../parts/buttons/copy.js'
import { Segments } from '../../../parts/buttons/segments.js'
import { CodeBlock } from '../../../parts/code-block.js'
import { errorText } from '../../../parts/error.js'
import { Reading } from '../../../parts/read/reading.js'
import { useRead } from '../../../parts/read/use-read.js'
/** @typedef {import('../artifact.js').ReadRecipe} ReadRecipe */
/** @typedef {ReadRecipe['lines'][number]} Line */
/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/artifacts/code.ts').GetArtifactCodeAnswer>} Code */

/** @typedef {ReadRecipe['code'][number]['language']} Language */

/** @type {Readonly<Record<Language, string>>} */
const NAMES = { python: 'Python', typescript: 'TypeScript', sql: 'SQL' }

/**
 * Shows an artifact's recipe in English, and as code where it can be written.
 *
 * @param {{ id: string, kind: string | undefined, recipe: ReadRecipe }} props `kind`: what the recipe is, in words
 */
export function Recipe({ id, kind, recipe }) {
  const [form, setForm] = useState(/** @type {'words' | Language} */ ('words'))
  const { code } = recipe
  const options = [['words', 'Words'], ...code.map(({ language }) => [language, NAMES[language]])]
  const chosen = code.find(({ language }) => language === form)
  return html`<section class="recipe" aria-labelledby="recipe">
    <h2 id="recipe">What it does</h2>
    ${kind && html`<p>${kind}</p>`}
    ${
      code.some(({ why_not: why }) => why === null) &&
      html`<div class="toolbar">
        <${Segments} label="Show the recipe as" options=${options} chosen=${form} choose=${setForm} />
      </div>`
    }
    ${
      chosen === undefined
        ? html`<${Words} recipe=${recipe} />`
        : chosen.why_not === null
          ? html`<${CodeOf} key=${form} id=${id} language=${form} />`
          : html`<p class="notice" role="status">${errorText(chosen.why_not)} ${othersOf(code)}</p>`
    }
  </section>`
}

/** @param {ReadRecipe['code']} code */
function othersOf(code) {
  const able = code.filter(({ why_not: why }) => why === null).map(({ language }) => NAMES[language])
  return `It can be shown as ${able.join(' and ')}.`
}

/** @param {{ recipe: ReadRecipe }} props */
function Words({ recipe: { lines, expression } }) {
  const text = lines.map(({ depth, text: line }) => `${'  '.repeat(depth)}${line}`).join('\n')
  if (lines.length === 0) return null
  return html`<div class="lines"><${Lines} lines=${lines} /></div>
    ${
      expression !== null &&
      html`<details>
        <summary>As one expression</summary>
        <${CodeBlock} label="The recipe as one expression" text=${expression} />
      </details>`
    }
    <${CopyButton} text=${text} label="Copy the words" />`
}

/**
 * Lines as a list with sub-lists.
 *
 * @param {{ lines: readonly Line[] }} props
 * @returns {import('preact').VNode}
 */
function Lines({ lines }) {
  const top = Math.min(...lines.map(({ depth }) => depth))
  const starts = lines.flatMap(({ depth }, at) => (depth === top ? [at] : []))
  return html`<ul>
    ${starts.map((at, place) => {
      const below = lines.slice(at + 1, starts[place + 1])
      return html`<li key=${at}>${lines[at]?.text} ${below.length > 0 && html`<${Lines} lines=${below} />`}</li>`
    })}
  </ul>`
}

/** @param {{ id: string, language: string }} props */
function CodeOf({ id, language }) {
  const path = withQuery(`/v1/artifacts/${encodeURIComponent(id)}/code`, { language })
  const read = useRead(async (signal) => /** @type {Code} */ (await get(path, signal)), [path])
  return html`<${Reading} of=${read}>
    ${(/** @type {Code} */ { files: [code, ...others] }) =>
      html`${
          others.length > 0 &&
          html`<p class="quiet">
            It reads ${others.map(({ name }) => name).join(', ')}, which${' '}
            <code>svc inspect ${id} --as ${language}</code> writes beside it.
          </p>`
        }
        <${CodeBlock} label="The recipe as code" text=${code?.content ?? ''} />
        <${CopyButton} text=${code?.content ?? ''} label="Copy the code" />`}
  <//>`
}
