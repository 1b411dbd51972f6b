import { formatCount } from '../../../../core/compile/wire/facts/numbers.ts'
import type { SharedContent } from '../../../../core/compile/wire/share/content.ts'
import type { SharedView } from '../../../../core/compile/wire/share/open.ts'
import { isJsonObject, type Json } from '../../../../core/kernel/json/json.ts'
import { markup, type Markup } from '../../../../core/kernel/wire/markup.ts'

type InputFields = NonNullable<NonNullable<SharedContent['input']>['fields']>

/** Kinds of values that have a control of their own. */
const TYPED: readonly string[] = ['text', 'number', 'boolean']

/** The form that runs the artifact of a link, filled with a row that was answered right. */
export function tryItOf(
  content: SharedView['content'],
  { url, runs_left: left }: NonNullable<SharedView['try_it']>,
): Markup {
  if (left <= 0) {
    return markup`<h2>Try it</h2>
<p class="notice">All runs of this link are used. Ask the person who sent you the link for a new one.</p>`
  }
  const first = content?.rows.find(({ result }) => result === 'right')?.input
  const fields = typedFields(content)
  return markup`<h2 id="try">Try it</h2>
<form class="card large" data-run="${new URL(url).pathname}" aria-labelledby="try" hidden>
${fields === null ? anyInput(content, first) : fields.map((field, at) => fieldOf(field, at, isJsonObject(first) ? first[field.name] : undefined))}
<div class="buttons"><button type="submit" class="primary">Run</button></div>
<p class="quiet" data-left>${formatCount(left, 'run')} of this link left. Its owner pays for them, and does not see your input.</p>
<div aria-live="polite" data-answer></div>
</form>
<noscript><p class="notice">Running it needs JavaScript. Everything else on this page works without.</p></noscript>`
}

/** The fields of the input; null unless every row has all of them, each with values of one simple kind. */
function typedFields(content: SharedView['content']): InputFields | null {
  const form = content?.input
  const fields = form?.fields ?? []
  const isTyped = fields.every(({ kinds, n }) => n === form?.n && kinds.length === 1 && TYPED.includes(kinds[0] ?? ''))
  return fields.length > 0 && isTyped ? fields : null
}

function fieldOf({ name, kinds: [kind] }: InputFields[number], at: number, value: Json | undefined): Markup {
  const facts = markup`id="field-${at}" name="field-${at}" data-member="${name}" data-kind="${kind}"`
  const label = markup`<label for="field-${at}">${name === '' ? 'Field without a name' : name}</label>`
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  if (kind === 'boolean') {
    const option = (state: string, words: string) =>
      markup`<option value="${state}"${text === state && markup` selected`}>${words}</option>`
    return markup`<div class="field">${label}<select ${facts}>${option('true', 'Yes')}${option('false', 'No')}</select></div>\n`
  }
  if (kind === 'number') {
    return markup`<div class="field">${label}<input ${facts} type="number" step="any" required value="${text}"></div>\n`
  }
  return markup`<div class="field">${label}<textarea ${facts} rows="1" class="code" spellcheck="false" maxlength="20000">${`\n${text}`}</textarea></div>\n`
}

function anyInput(content: SharedView['content'], first: Json | undefined): Markup {
  const isJson = first === undefined ? (content?.input?.kinds[0] ?? 'text') !== 'text' : typeof first !== 'string'
  const example = first === undefined ? '' : typeof first === 'string' ? first : JSON.stringify(first, null, 2)
  return markup`<div class="field"><label for="input">Input</label><textarea id="input" name="input" rows="3" class="code" spellcheck="false" maxlength="20000" required>${`\n${example}`}</textarea></div>
<div class="field"><label for="form">Read it as</label><select id="form" name="form" aria-describedby="form-hint"><option value="text"${isJson ? '' : markup` selected`}>Text</option><option value="json"${isJson && markup` selected`}>JSON</option></select><p class="quiet" id="form-hint">JSON for numbers, lists and objects.</p></div>`
}
