import { ApiError } from '../api.js'
import { element, say } from './dom.js'
/** @typedef {import('./dom.js').Child} Child */

/**
 * What a page says when something did not work: the service's words, and the id by which its log knows the call.
 *
 * @param {unknown} error
 */
export function errorBox(error) {
  const isKnown = error instanceof ApiError
  const missing = isKnown && error.code === 'insufficient_scope' ? error.details['required'] : undefined
  return element(
    'div',
    { class: 'error', role: 'alert' },
    element(
      'p',
      {},
      typeof missing === 'string' ? `What you signed in with lacks the scope ${missing}.` : textOf(error),
    ),
    isKnown && error.requestId !== undefined
      ? element('p', { class: 'quiet' }, `${error.code} · request ${error.requestId}`)
      : undefined,
  )
}

/** @param {unknown} error */
function textOf(error) {
  const text = error instanceof Error ? error.message : String(error)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/**
 * Asks for something in a dialog and does it when it is confirmed; what goes wrong is said inside, and the dialog
 * stays open. Resolves to what was done, or to undefined when the dialog was left.
 *
 * @template T
 * @param {{ title: string, body: readonly Child[], confirm: string, isDangerous?: boolean,
 *   perform: (form: FormData) => Promise<T> }} input
 * @returns {Promise<T | undefined>}
 */
export async function ask({ title, body, confirm, isDangerous = false, perform }) {
  const go = element('button', { type: 'submit', class: isDangerous ? 'danger' : 'primary' }, confirm)
  const leave = element('button', { type: 'button', onclick: () => dialog.close() }, 'Leave it')
  const trouble = element('div')
  const form = element('form', {}, ...body, trouble, element('div', { class: 'buttons' }, leave, go))
  const dialog = openDialog(title, form)
  /** @type {PromiseWithResolvers<T | undefined>} */
  const done = Promise.withResolvers()
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    go.disabled = true
    perform(new FormData(form)).then(
      (result) => {
        done.resolve(result)
        dialog.close()
      },
      (error) => {
        trouble.replaceChildren(errorBox(error))
        go.disabled = false
      },
    )
  })
  dialog.addEventListener('close', () => done.resolve(undefined))
  return await done.promise
}

/**
 * Asks before something that cannot be undone.
 *
 * @param {{ title: string, text: string, confirm: string, perform: () => Promise<unknown> }} input
 */
export async function askFirst({ title, text, confirm, perform }) {
  return await ask({
    title,
    body: [element('p', {}, text)],
    confirm,
    isDangerous: true,
    perform: async () => {
      await perform()
      return true
    },
  })
}

/**
 * Shows a secret that is never shown again, with a button that copies it. Resolves when the dialog is closed.
 *
 * @param {{ title: string, secret: string, note: string }} input
 */
export async function showOnce({ title, secret, note }) {
  const close = element('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'I have kept it')
  const dialog = openDialog(
    title,
    element('p', {}, note),
    element('p', { class: 'secret' }, element('code', {}, secret)),
    element('div', { class: 'buttons' }, copyButton(secret, 'Copy'), close),
  )
  /** @type {PromiseWithResolvers<void>} */
  const closed = Promise.withResolvers()
  dialog.addEventListener('close', () => closed.resolve())
  await closed.promise
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function openDialog(title, ...content) {
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'dialog-title' },
    element('h2', { id: 'dialog-title' }, title),
    ...content,
  )
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/**
 * A button that copies a text.
 *
 * @param {string} text
 * @param {string} label
 */
export function copyButton(text, label) {
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => say('Copied.'),
      () => say('The browser did not let this page copy; select the text instead.'),
    )
  }
  return element('button', { type: 'button', onclick: copy }, label)
}

/**
 * A field of a form with its label, and a hint below it.
 *
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} input
 * @param {string} [hint]
 */
export function field(label, input, hint) {
  const id = input.id || `field-${input.name}`
  input.id = id
  if (hint !== undefined) input.setAttribute('aria-describedby', `${id}-hint`)
  return element(
    'div',
    { class: 'field' },
    element('label', { for: id }, label),
    input,
    hint === undefined ? undefined : element('p', { class: 'quiet', id: `${id}-hint` }, hint),
  )
}
