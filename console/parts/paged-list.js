import { element, say } from './dom.js'
import { formatNumber } from './format.js'

/**
 * A list that grows by pages: its items, and below them a button while there are more.
 *
 * @template T
 * @param {{ read: (cursor: string | undefined) => Promise<{ items: readonly T[], next: string | null | undefined }>,
 *   show: (items: readonly T[]) => HTMLElement, onError: (error: unknown) => void }} input
 */
export async function pagedList({ read, show, onError }) {
  const outlet = element('div', { tabindex: -1 })
  const more = element('button', { type: 'button', class: 'more' }, 'Show more')
  /** @type {T[]} */
  const items = []
  /** @type {string | null | undefined} */
  let next = null
  const grow = async () => {
    const page = await read(next ?? undefined)
    items.push(...page.items)
    next = page.next
    outlet.replaceChildren(show(items))
    if (next) outlet.append(more)
  }
  const growOnDemand = async () => {
    const before = items.length
    await grow()
    say(`${formatNumber(items.length - before)} more are shown.`)
    more.disabled = false
    // The last page removes the button; the focus then stays in the list.
    const place = more.isConnected ? more : outlet
    place.focus()
  }
  more.addEventListener('click', () => {
    more.disabled = true
    growOnDemand().catch((error) => {
      more.disabled = false
      onError(error)
    })
  })
  await grow()
  return outlet
}
