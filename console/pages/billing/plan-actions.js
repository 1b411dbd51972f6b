import { call } from '../../api.js'
import { askFirst } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { formatInstant } from '../../parts/format.js'

/**
 * Shows the actions of the plan: choose another, cancel at the end of the period, take that back, open the payment
 * processor's portal.
 *
 * @param {{ billing: import('./billing.js').Billing, signal: AbortSignal,
 *   run: (work: () => Promise<unknown>) => void, reload: () => void }} input
 */
export function planActions({ billing, signal, run, reload }) {
  const isPaid = billing.plan.id !== 'free'
  const cancel = async () => {
    let endsAt = ''
    const isDone = await askFirst({
      title: 'Cancel the plan?',
      text: 'It goes on until the paid period is over; then the free one is in force. Keys keep working.',
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
    say('The plan goes on.')
    reload()
  }
  const openPortal = async () => {
    /** @type {{ portal_url: string }} */
    const { portal_url: url } = await call('POST', '/v1/account/billing/portal')
    leaveFor(url, signal)
  }
  return {
    buttons: element(
      'div',
      { class: 'buttons' },
      billing.portal_available &&
        element('button', { type: 'button', onclick: () => run(openPortal) }, 'Cards and receipts'),
      isPaid &&
        (billing.cancel_at_period_end
          ? element('button', { type: 'button', onclick: () => run(goOn) }, 'Keep the plan after all')
          : element('button', { type: 'button', class: 'danger', onclick: () => run(cancel) }, 'Cancel the plan')),
    ),
    /** @param {import('./plans-table.js').Plan} plan */
    choose: (plan) => run(async () => await choosePlan(plan, signal, reload)),
  }
}

/**
 * Opens the payment page of a plan, or changes to the free plan at once.
 *
 * @param {import('./plans-table.js').Plan} plan
 * @param {AbortSignal} signal
 * @param {() => void} reload
 */
async function choosePlan({ id, label }, signal, reload) {
  if (id !== 'free') {
    /** @type {{ url: string }} */
    const { url } = await call('POST', '/v1/billing/checkout', { plan: id })
    leaveFor(url, signal)
    return
  }
  const isDone = await askFirst({
    title: `Change to ${label}?`,
    text: 'It is in force at once: quota and seats are smaller, and the subscription ends.',
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
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('The payment processor answered no web address.')
  location.assign(href)
}
