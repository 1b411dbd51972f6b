import { copyButton } from './buttons/copy.js'
import { element } from './dom.js'
import { errorBox } from './error.js'
/** @typedef {import('./dom.js').Child} Child */

/** Functions that cancel the open dialogs that can be cancelled. */
const open = /** @type {Set<() => void>} */ (new Set())

/**
 * Cancels the open dialogs when their page is left. A dialog that works stays until it has finished, and one that shows
 * a secret until it is closed.
 */
export function leaveDialogs() {
  for (const leave of open) leave()
}

/**
 * Opens a dialog and calls `perform` when it is confirmed. Shows an error inside the dialog, which stays open. Resolves
 * to the result of `perform`, or to undefined when the dialog was cancelled. The dialog cannot be cancelled while
 * `perform` runs. When the browser closes it all the same, the result is still returned, since it may be a secret that
 * is shown only once.
 *
 * @template T
 * @param {{ title: string, body: readonly Child[], confirm: string, leave?: string, isDangerous?: boolean,
 *   perform: (form: FormData) => Promise<T> }} input
 * @returns {Promise<T | undefined>}
 */
export async function ask({ title, body, confirm, leave = 'Cancel', isDangerous = false, perform }) {
  const go = element('button', { type: 'submit', class: isDangerous ? 'danger' : 'primary' }, confirm)
  const back = element('button', { type: 'button', onclick: () => dialog.close() }, leave)
  const trouble = element('div')
  const form = element('form', {}, ...body, trouble, element('div', { class: 'buttons' }, back, go))
  const dialog = openDialog(title, form)
  /** @type {PromiseWithResolvers<T | undefined>} */
  const done = Promise.withResolvers()
  let isWorking = false
  let isLeft = false
  const leaveIt = () => {
    isLeft = true
    if (!isWorking) dialog.close()
  }
  const work = (/** @type {boolean} */ begins) => {
    isWorking = begins
    go.disabled = begins
    back.disabled = begins
    dialog.setAttribute('aria-busy', String(begins))
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    trouble.replaceChildren()
    work(true)
    perform(new FormData(form)).then(
      (result) => {
        done.resolve(result)
        dialog.close()
      },
      (error) => {
        work(false)
        if (dialog.open && !isLeft) {
          trouble.replaceChildren(errorBox(error))
          return
        }
        done.reject(error)
        dialog.close()
      },
    )
  })
  dialog.addEventListener('cancel', (event) => {
    if (isWorking) event.preventDefault()
  })
  dialog.addEventListener('close', () => {
    open.delete(leaveIt)
    if (!isWorking) done.resolve(undefined)
  })
  open.add(leaveIt)
  return await done.promise
}

/**
 * Asks before something that cannot be undone. Resolves to true when it was done.
 *
 * @param {{ title: string, text: string, confirm: string, leave?: string, perform: () => Promise<unknown> }} input
 */
export async function askFirst({ text, perform, ...rest }) {
  const isDone = await ask({
    ...rest,
    body: [element('p', {}, text)],
    isDangerous: true,
    perform: async () => {
      await perform()
      return true
    },
  })
  return isDone === true
}

/**
 * Shows a secret that is never shown again, with a button that copies it. Only its own button closes it. Resolves then.
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
  dialog.setAttribute('closedby', 'none')
  /** @type {PromiseWithResolvers<void>} */
  const closed = Promise.withResolvers()
  dialog.addEventListener('cancel', (event) => event.preventDefault())
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
