import { html } from 'htm/preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { CopyButton } from '../buttons/copy.js'
import { ErrorBox } from '../error.js'
import { FieldErrors } from '../form/field-errors.js'
import { useSubmit } from '../form/use-submit.js'
import { dialogs, leaves } from './ask.js'
/** @typedef {import('preact').RefObject<HTMLDialogElement | null>} DialogRef */

/** The open dialogs. */
export function Dialogs() {
  return dialogs.value.map((one) =>
    one.kind === 'ask'
      ? html`<${AskDialog} key=${one.id} asked=${one} />`
      : html`<${OnceDialog} key=${one.id} shown=${one} />`,
  )
}

/** @param {number} id */
function remove(id) {
  dialogs.value = dialogs.value.filter((one) => one.id !== id)
}

/** @param {{ asked: import('./ask.js').Asked }} props */
function AskDialog({ asked: { id, title, body, confirm, leave, isDangerous, perform, done } }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const isWorking = useRef(false)
  const isLeft = useRef(false)
  const submit = useSubmit(async (data) => {
    isWorking.current = true
    try {
      done.resolve(await perform(data))
      dialog.current?.close()
    } catch (error) {
      if (dialog.current?.open === true && !isLeft.current) throw error
      done.reject(error)
      dialog.current?.close()
    } finally {
      isWorking.current = false
    }
  })
  useLeaving(() => {
    isLeft.current = true
    if (!isWorking.current) dialog.current?.close()
  })
  const onCancel = (/** @type {Event} */ event) => {
    if (isWorking.current) event.preventDefault()
  }
  const onClose = () => {
    if (!isWorking.current) done.resolve(undefined)
    remove(id)
  }
  return html`<${Frame} ...${{ dialog, title, onCancel, onClose, isBusy: submit.isWorking }}>
    <${FieldErrors.Provider} value=${submit.errors}>
      <form ref=${submit.ref} onSubmit=${submit.onSubmit}>
        ${typeof body === 'string' ? html`<p>${body}</p>` : body}
        <${ErrorBox} error=${submit.error} />
        <div class="buttons">
          <button type="button" disabled=${submit.isWorking} onClick=${() => dialog.current?.close()}>${leave}</button>
          <button type="submit" class=${isDangerous ? 'danger' : 'primary'} disabled=${submit.isWorking}>
            ${confirm}
          </button>
        </div>
      </form>
    <//>
  <//>`
}

/** @param {{ shown: import('./ask.js').Shown }} props */
function OnceDialog({ shown: { id, title, secret, note, done } }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null))
  const onClose = () => {
    done.resolve()
    remove(id)
  }
  const onCancel = (/** @type {Event} */ event) => event.preventDefault()
  return html`<${Frame} ...${{ dialog, title, onCancel, onClose, closedby: 'none' }}>
    <p>${note}</p>
    <p class="secret"><code>${secret}</code></p>
    <div class="buttons">
      <${CopyButton} text=${secret} label="Copy" />
      <button type="button" class="primary" onClick=${() => dialog.current?.close()}>I have kept it</button>
    </div>
  <//>`
}

/**
 * @param {{ dialog: DialogRef, title: string, closedby?: string, isBusy?: boolean,
 *   onCancel: (event: Event) => void, onClose: () => void, children?: import('preact').ComponentChildren }} props
 */
function Frame({ dialog, title, closedby, isBusy = false, onCancel, onClose, children }) {
  const id = useId()
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return html`<dialog
    ref=${dialog}
    aria-labelledby=${id}
    aria-busy=${isBusy}
    closedby=${closedby}
    onCancel=${onCancel}
    onClose=${onClose}
  >
    <h2 id=${id}>${title}</h2>
    ${children}
  </dialog>`
}

/**
 * Calls back when the page is left.
 *
 * @param {() => void} leave
 */
function useLeaving(leave) {
  const opened = useRef(leaves.value)
  useLayoutEffect(() => {
    if (leaves.value !== opened.current) leave()
  }, [leaves.value])
}
