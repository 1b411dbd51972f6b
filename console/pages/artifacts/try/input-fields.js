import { html } from 'htm/preact'
import { Field } from '../../../parts/form/field.js'
import { rawTextIn } from '../../../parts/form/text-in.js'

/** @typedef {import('../artifact.js').ReadRecipe} ReadRecipe */
/** @typedef {NonNullable<ReadRecipe['input']>} InputForm */
/** @typedef {InputForm['kinds'][number]} Kind */
/**
 * The form of one typed value: a text, a number, yes or no, or JSON. `isOptional`: an empty field leaves the value out.
 *
 * @typedef {object} Place
 * @property {string} member name of the member of the input; empty for the whole input
 * @property {string} label
 * @property {string} name of the control
 * @property {'text' | 'number' | 'boolean' | 'json' | 'unknown'} kind
 * @property {boolean} isNullable an empty field is null
 * @property {boolean} isOptional
 */

/**
 * Returns how the input of an artifact is typed: its fields where every held-out row is an object, else one value. What
 * the rows do not show is asked for with its kind.
 *
 * @param {InputForm | null} form
 * @returns {{ isObject: boolean, places: readonly Place[] }}
 */
export function placesOf(form) {
  if (form?.fields !== undefined && form.fields.length > 0) {
    const places = form.fields.map(({ name, kinds, n }, at) => ({
      ...placeOf(kinds),
      member: name,
      label: name === '' ? 'Field without a name' : name,
      name: `field-${at}`,
      isOptional: n < form.n,
    }))
    return { isObject: true, places }
  }
  const place = form === null ? { kind: /** @type {const} */ ('unknown'), isNullable: false } : placeOf(form.kinds)
  return { isObject: false, places: [{ ...place, member: '', label: 'Input', name: 'input', isOptional: false }] }
}

/**
 * @param {readonly Kind[]} kinds
 * @returns {Pick<Place, 'kind' | 'isNullable'>}
 */
function placeOf(kinds) {
  const [kind, ...others] = kinds.filter((one) => one !== 'null')
  const isNullable = kinds.includes('null')
  if (kind === undefined) return { kind: 'json', isNullable: false }
  if (others.length > 0) return { kind: 'unknown', isNullable }
  return { kind: kind === 'list' || kind === 'object' ? 'json' : kind, isNullable }
}

/**
 * The control of one value.
 *
 * @param {{ place: Place, value: unknown, isOnly: boolean }} props `value`: what it holds at first
 */
export function InputField({ place, value, isOnly }) {
  const { label, name, kind, isNullable, isOptional } = place
  const mayBeEmpty = isNullable || isOptional
  const hint = isOptional ? 'Left out where it is empty.' : isNullable ? 'Null where it is empty.' : undefined
  const shared = { label, name, hint, required: kind !== 'text' && !mayBeEmpty }
  switch (kind) {
    case 'number':
      return html`<${Field} ...${shared} type="number" step="any" defaultValue=${textOf(value, kind)} />`
    case 'boolean':
      return html`<${Field}
        ...${shared}
        as="select"
        chosen=${textOf(value, kind)}
        options=${[...(mayBeEmpty ? [['', '']] : []), ['true', 'Yes'], ['false', 'No']]}
      />`
    case 'text':
      return html`<${Field}
        ...${shared}
        as="textarea"
        rows=${isOnly ? 3 : 1}
        required=${isOnly}
        class="code"
        spellcheck="false"
        defaultValue=${textOf(value, kind)}
      />`
    default:
      return html`<${Field}
          ...${shared}
          as="textarea"
          rows="3"
          class="code"
          spellcheck="false"
          hint=${kind === 'json' ? 'JSON: a list, an object or another value.' : hint}
          defaultValue=${textOf(value, kind)}
        />
        ${
          kind === 'unknown' &&
          html`<${Field}
            as="select"
            label=${isOnly ? 'Read it as' : `Read ${label} as`}
            name="${name}-form"
            hint="JSON for numbers, lists and objects."
            chosen=${value === undefined || typeof value === 'string' ? 'text' : 'json'}
            options=${[
              ['text', 'Text'],
              ['json', 'JSON'],
            ]}
          />`
        }`
  }
}

/**
 * @param {unknown} value
 * @param {Place['kind']} kind
 */
function textOf(value, kind) {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value)
}

/**
 * Returns the input that a form holds. Throws an error that names the field whose text is not JSON.
 *
 * @param {FormData} data
 * @param {{ isObject: boolean, places: readonly Place[] }} form
 * @returns {unknown}
 */
export function inputIn(data, { isObject, places }) {
  const values = places.map((place) => valueIn(data, place))
  if (!isObject) return values[0]
  return Object.fromEntries(
    places.flatMap(({ member }, at) => (values[at] === undefined ? [] : [[member, values[at]]])),
  )
}

/**
 * @param {FormData} data
 * @param {Place} place
 * @returns {unknown} undefined for a value that is left out
 */
function valueIn(data, { label, name, kind, isNullable, isOptional }) {
  const text = rawTextIn(data, name)
  if (text === '' && isOptional) return undefined
  if (text === '' && isNullable) return null
  const isText = kind === 'text' || (kind === 'unknown' && data.get(`${name}-form`) !== 'json')
  // The line ends of a form are those of the web; the text's own are line feeds.
  if (isText) return text.replaceAll('\r\n', '\n')
  try {
    return JSON.parse(text)
  } catch (error) {
    const remedy = kind === 'unknown' ? 'choose Text, or mend it' : 'mend it'
    throw new Error(`${name === 'input' ? 'The input' : label} is not JSON; ${remedy}.`, { cause: error })
  }
}
