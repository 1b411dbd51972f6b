import { signal } from '@preact/signals'

/** @typedef {import('preact').ComponentChildren} Children */
/**
 * @typedef {object} Asked
 * @property {'ask'} kind
 * @property {number} id
 * @property {string} title
 * @property {Children} body
 * @property {string} confirm
 * @property {string} leave
 * @property {boolean} isDangerous
 * @property {(data: FormData) => Promise<any>} perform
 * @property {PromiseWithResolvers<any>} done
 */
/**
 * @typedef {object} Shown
 * @property {'once'} kind
 * @property {number} id
 * @property {string} title
 * @property {string} secret
 * @property {string} note
 * @property {PromiseWithResolvers<void>} done
 */

/** The open dialogs, the last one on top. */
export const dialogs = signal(/** @type {readonly (Asked | Shown)[]} */ ([]))

/** Number of times that the page of the dialogs was left. */
export const leaves = signal(0)

let count = 0

/**
 * Cancels the open dialogs when their page is left. A dialog that works stays until it has finished, and one that shows
 * a secret until it is closed.
 */
export function leaveDialogs() {
  leaves.value += 1
}

/**
 * Opens a dialog and calls `perform` when it is confirmed. Shows an error inside the dialog, which stays open. Resolves
 * to the result of `perform`, or to undefined when the dialog was cancelled. The dialog cannot be cancelled while
 * `perform` runs. When the browser closes it all the same, the result is still returned, since it may be a secret that
 * is shown only once.
 *
 * @template T
 * @param {{ title: string, body: Children, confirm: string, leave?: string, isDangerous?: boolean,
 *   perform: (data: FormData) => Promise<T> }} input
 * @returns {Promise<T | undefined>}
 */
export async function ask({ leave = 'Cancel', isDangerous = false, ...rest }) {
  /** @type {PromiseWithResolvers<T | undefined>} */
  const done = Promise.withResolvers()
  dialogs.value = [...dialogs.value, { kind: 'ask', id: ++count, leave, isDangerous, done, ...rest }]
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
    body: text,
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
export async function showOnce(input) {
  /** @type {PromiseWithResolvers<void>} */
  const done = Promise.withResolvers()
  dialogs.value = [...dialogs.value, { kind: 'once', id: ++count, done, ...input }]
  await done.promise
}

/**
 * Shows a new key. Resolves when the person has confirmed that it is stored.
 *
 * @param {string} title
 * @param {string} key
 * @param {string} [before] what else is to be known
 */
export async function showKey(title, key, before = '') {
  const keep = 'Keep it now: only a hash of it is stored, and it is never shown again.'
  await showOnce({ title, secret: key, note: `${before} ${keep}`.trim() })
}
