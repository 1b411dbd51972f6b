import { html } from 'htm/preact'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { askFirst } from '../../parts/dialog/ask.js'
import { formatInstant } from '../../parts/format.js'
import { say } from '../../parts/say.js'

/**
 * The actions of the plan: cancel at the end of the period, take that back, open the payment processor's portal.
 *
 * @param {{ billing: import('./billing.js').Billing, run: (work: () => Promise<unknown>) => void }} props
 */
export function PlanActions({ billing, run }) {
  const { signal, reload } = usePage()
  const isPaid = billing.plan.id !== 'free'
  const cancel = async () => {
    let endsAt = ''
    const isDone = await askFirst({
      title: 'Cancel the plan?',
      text: 'The plan stays active until the end of the paid period. Then the free plan applies. Keys keep working.',
      confirm: 'Cancel the plan',
      leave: 'Keep it',
      perform: async () => {
        /** @type {{ effective_at: string }} */
        const { effective_at: at } = await call('POST', '/v1/account/cancel')
        endsAt = at
      },
    })
    if (!isDone) return
    say(`The plan ends ${formatInstant(endsAt)}.`)
    reload()
  }
  const goOn = async () => {
    await call('POST', '/v1/account/change-plan', { plan: billing.plan.id })
    say('The plan continues.')
    reload()
  }
  const openPortal = async () => {
    /** @type {{ portal_url: string }} */
    const { portal_url: url } = await call('POST', '/v1/account/billing/portal')
    leaveFor(url, signal)
  }
  return html`<div class="buttons">
    ${
      billing.portal_available &&
      html`<button type="button" onClick=${() => run(openPortal)}>Cards and receipts</button>`
    }
    ${
      isPaid &&
      (billing.cancel_at_period_end
        ? html`<button type="button" onClick=${() => run(goOn)}>Keep the plan</button>`
        : html`<button type="button" class="danger" onClick=${() => run(cancel)}>Cancel the plan</button>`)
    }
  </div>`
}

/**
 * Opens the payment page of a plan, or changes to the free plan at once.
 *
 * @param {import('./plans-table.js').Plan} plan
 * @param {AbortSignal} signal
 * @param {() => void} reload
 */
export async function choosePlan({ id, label }, signal, reload) {
  if (id !== 'free') {
    /** @type {{ url: string }} */
    const { url } = await call('POST', '/v1/billing/checkout', { plan: id })
    leaveFor(url, signal)
    return
  }
  const isDone = await askFirst({
    title: `Change to ${label}?`,
    text: 'The change applies immediately: quota and seats become smaller, and the subscription ends.',
    confirm: `Change to ${label}`,
    leave: 'Keep the plan',
    perform: async () => await call('POST', '/v1/account/change-plan', { plan: id }),
  })
  if (isDone) reload()
}

/**
 * Opens an address, unless the reader has left the page.
 *
 * @param {string} url where the payment processor takes over
 * @param {AbortSignal} signal
 */
function leaveFor(url, signal) {
  if (signal.aborted) return
  const { protocol, href } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error('The payment processor did not return a web address.')
  location.assign(href)
}
