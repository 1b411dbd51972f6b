/**
 * Programs and commands that run an artifact. They run as pasted: the key comes from `SVC_API_KEY`, and the input is
 * written so that its language reads back exactly the same value. Pure: tests import it too.
 *
 * @typedef {null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value }} Value a JSON value
 * @typedef {'curl' | 'python' | 'typescript' | 'cli'} SnippetLanguage
 * @typedef {object} SnippetFacts
 * @property {string} origin address of the service, such as `https://svc.example.org`
 * @property {string} versionId
 * @property {Value} input
 */

/** @type {readonly (readonly [SnippetLanguage, string])[]} */
export const SNIPPET_LANGUAGES = [
  ['curl', 'curl'],
  ['python', 'Python'],
  ['typescript', 'TypeScript'],
  ['cli', 'CLI'],
]

/** @type {Readonly<Record<SnippetLanguage, (facts: SnippetFacts) => string>>} */
const WRITERS = { curl, python, typescript, cli }

/**
 * Returns a snippet without a line end behind it.
 *
 * @param {SnippetLanguage} language
 * @param {SnippetFacts} facts
 */
export function writeSnippet(language, facts) {
  return WRITERS[language](facts)
}

/** @param {SnippetFacts} facts */
function curl({ origin, versionId, input }) {
  return [
    `curl -sS ${shellText(`${origin}/v1/run`)} \\`,
    `  -H "X-API-Key: $SVC_API_KEY" -H 'Content-Type: application/json' \\`,
    `  --data-raw ${shellJson({ version_id: versionId, input })}`,
  ].join('\n')
}

/** @param {SnippetFacts} facts */
function cli({ origin, versionId, input }) {
  const command = `npx svc run --url ${shellText(origin)}`
  if (typeof input === 'string' && isPlain(input)) return `${command} --text ${versionId} ${shellText(input)}`
  // Behind `--`, an input that begins with a minus is no option.
  return `${command} --json-input -- ${versionId} ${shellJson(input)}`
}

/** @param {SnippetFacts} facts */
function python({ origin, versionId, input }) {
  return [
    'from svc_client import Svc',
    '',
    `svc = Svc(${safeJson(origin)})`,
    `answer = svc.version(${safeJson(versionId)}).run(${literal(input, PYTHON)})`,
    'print(answer.output)',
  ].join('\n')
}

/** @param {SnippetFacts} facts */
function typescript({ origin, versionId, input }) {
  return [
    `import { Svc } from 'svc-client'`,
    '',
    `const svc = new Svc({ url: ${safeJson(origin)} })`,
    `const answer = await svc.version(${safeJson(versionId)}).run(${literal(input, TYPESCRIPT)})`,
    'console.log(answer.output)',
  ].join('\n')
}

/**
 * Words of a language for values that JSON writes otherwise.
 *
 * @typedef {object} Dialect
 * @property {string} nothing
 * @property {readonly [no: string, yes: string]} booleans
 * @property {string} indent
 */

/** @type {Dialect} */
const PYTHON = { nothing: 'None', booleans: ['False', 'True'], indent: '    ' }

/** @type {Dialect} */
const TYPESCRIPT = { nothing: 'null', booleans: ['false', 'true'], indent: '  ' }

/** Longest list or object that is written in one line. */
const MAX_LINE = 60

/**
 * Writes a JSON value as a literal.
 *
 * @param {Value} value
 * @param {Dialect} dialect
 * @param {string} [margin] of the line that it begins on
 * @returns {string}
 */
function literal(value, dialect, margin = '') {
  if (value === null) return dialect.nothing
  if (typeof value === 'boolean') return dialect.booleans[value ? 1 : 0]
  if (typeof value !== 'object') return safeJson(value)
  const inner = margin + dialect.indent
  const [open, close] = isList(value) ? ['[', ']'] : ['{', '}']
  const parts = isList(value)
    ? value.map((item) => literal(item, dialect, inner))
    : Object.entries(value).map(([name, item]) => `${safeJson(name)}: ${literal(item, dialect, inner)}`)
  const inOne = `${open}${parts.join(', ')}${close}`
  if (inOne.length <= MAX_LINE && !inOne.includes('\n')) return inOne
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`
}

/**
 * @param {Value} value
 * @returns {value is readonly Value[]}
 */
function isList(value) {
  return Array.isArray(value)
}

/** Characters that cannot be seen, or that change how the text around them is shown. */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g
/** Those, and what a shell reads between single quotes: the quote itself, and `!` for the history. */
const UNSAFE_IN_SHELL = /['!\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/**
 * JSON whose texts hold no character that cannot be seen. Python and TypeScript read its texts and numbers as JSON does.
 *
 * @param {Value} value
 */
function safeJson(value) {
  return JSON.stringify(value).replaceAll(UNSEEN, escaped)
}

/**
 * JSON between the single quotes of a shell.
 *
 * @param {Value} value
 */
function shellJson(value) {
  return `'${JSON.stringify(value).replaceAll(UNSAFE_IN_SHELL, escaped)}'`
}

/** @param {string} character */
function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Whether a text can stand between single quotes as it is, and is no option.
 *
 * @param {string} text
 */
function isPlain(text) {
  return /^[^-\s'!\p{C}](?:[^\s'!\p{C}]| (?=\S))*$/u.test(text)
}

/** @param {string} text without quotes: an address or a plain text */
function shellText(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}
