import { html } from 'htm/preact'

/**
 * The head of a column. That of a sortable one is a button: upwards, downwards, as read.
 *
 * @param {{ column: import('./table.js').Column<unknown>, place: number, sorted: import('./arrange.js').Order | undefined,
 *   setSorted: (order: import('./arrange.js').Order | undefined) => void }} props
 */
export function HeadCell({ column, place, sorted, setSorted }) {
  const { title, sort, isNumeric, isWide } = column
  const name = isNumeric ? 'number' : isWide ? 'wide' : undefined
  if (sort === undefined) {
    return html`<th role="columnheader" scope="col" class=${name}>
      ${title === '' ? html`<span class="unseen">Actions</span>` : title}
    </th>`
  }
  const isSorted = sorted?.place === place
  const direction = isSorted ? (sorted.isDown ? 'descending' : 'ascending') : undefined
  const turn = () => {
    if (!isSorted) setSorted({ place, isDown: false })
    else setSorted(sorted.isDown ? undefined : { place, isDown: true })
  }
  return html`<th role="columnheader" scope="col" class=${name} aria-sort=${direction ?? 'none'}>
    <button type="button" class="sort" data-direction=${direction} onClick=${turn}>${title}</button>
  </th>`
}
