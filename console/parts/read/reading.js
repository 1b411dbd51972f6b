import { html } from 'htm/preact'
import { reload } from '../../app/state.js'
import { ErrorBox } from '../error.js'
import { LoadError } from './load-part.js'

/**
 * The result of a read: before it, a note that it is loading; after an error, that error and a button that
 * reads again; a module that could not be loaded needs the whole page again.
 *
 * @template T
 * @param {{ of: import('./use-read.js').Read<T>, children: (data: T) => import('preact').ComponentChildren }} props
 */
export function Reading({ of: { data, error }, children }) {
  if (error !== undefined) {
    return html`<${ErrorBox} error=${error} /> ${
        error instanceof LoadError
          ? html`<button type="button" onClick=${() => location.reload()}>Reload the page</button>`
          : html`<button type="button" onClick=${reload}>Try again</button>`
      }`
  }
  return data === undefined ? html`<p class="empty">Reading …</p>` : children(data)
}
