import { html } from 'htm/preact'
import { ErrorBox } from '../error.js'
import { FieldErrors } from './field-errors.js'
import { useSubmit } from './use-submit.js'

/**
 * A form with one action; its errors show above its button, and at the fields that they name.
 *
 * @param {{ title?: string, action: string, isLarge?: boolean, children: import('preact').ComponentChildren,
 *   onInput?: () => void, perform: (data: FormData, form: HTMLFormElement) => Promise<unknown>,
 *   after?: import('preact').ComponentChildren }} props `after` is shown below the button
 */
export function Form({ title, action, isLarge = false, children, onInput, perform, after }) {
  const { ref, error, errors, isWorking, onSubmit } = useSubmit(perform)
  return html`<${FieldErrors.Provider} value=${errors}>
    <form class=${isLarge ? 'card large' : 'card'} ref=${ref} onSubmit=${onSubmit} onInput=${onInput}>
      ${title && html`<h2>${title}</h2>`} ${children}
      <${ErrorBox} error=${error} />
      <button type="submit" class="primary" aria-disabled=${isWorking}>${action}</button>
      ${after}
    </form>
  <//>`
}
