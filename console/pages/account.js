import { call, get } from '../api.js'
import { errorBox } from '../parts/dialog.js'
import { element, say } from '../parts/dom.js'
import { formatInstant, formatNumber } from '../parts/format.js'
import { factList, table } from '../parts/table.js'

/**
 * @typedef {object} Plan
 * @property {string} id
 * @property {string} label
 * @property {number} price_usd_month
 * @property {number} quota
 * @property {number} seats
 */

/** @type {import('../main.js').Page} */
export const accountPage = {
  title: 'Account',
  async load({ account, signal }) {
    /** @type {{ plans: readonly Plan[] }} */
    const { plans } = await get('/v1/plans', signal)
    const trouble = element('div')
    return [
      trouble,
      factList([
        ['Name', account.name],
        ['E-mail', address(account, trouble)],
        ['Plan', plans.find(({ id }) => id === account.plan)?.label ?? account.plan],
        ['Quota', `${formatNumber(account.quota)} units a month`],
        ['Seats', `${formatNumber(account.seats_used)} of ${formatNumber(account.seats)} taken`],
        ['Since', formatInstant(account.created_at)],
        ...(account.trial_ends_at ? [/** @type {const} */ (['Trial ends', formatInstant(account.trial_ends_at)])] : []),
        ['Id', element('code', { class: 'long' }, account.id)],
      ]),
      element('h2', {}, 'Plans'),
      plansTable(plans, account.plan),
    ]
  },
}

/**
 * The address, and for one that is not verified the way to have it so.
 *
 * @param {import('../main.js').Account} account
 * @param {HTMLElement} trouble
 */
function address({ email, email_verified: isVerified }, trouble) {
  if (email === null) return 'none'
  if (isVerified) return element('span', {}, email, ' ', badge('ready', 'verified'))
  const send = () => {
    trouble.replaceChildren()
    call('POST', '/v1/account/email/verify').then(
      () => say(`A mail is on its way to ${email}.`),
      (error) => trouble.replaceChildren(errorBox(error)),
    )
  }
  return element('span', { class: 'choice' }, email, element('button', { type: 'button', onclick: send }, 'Verify'))
}

/**
 * @param {string} status
 * @param {string} text
 */
function badge(status, text) {
  return element('span', { class: 'badge', 'data-status': status }, text)
}

/**
 * @param {readonly Plan[]} plans
 * @param {string} own
 */
function plansTable(plans, own) {
  return table({
    caption: 'The published plans',
    rows: plans,
    empty: 'No plans are published.',
    columns: [
      {
        title: 'Plan',
        cell: ({ id, label }) => (id === own ? element('span', {}, label, ' ', badge('ready', 'yours')) : label),
      },
      { title: 'US dollars a month', cell: ({ price_usd_month }) => formatNumber(price_usd_month), isNumeric: true },
      { title: 'Units a month', cell: ({ quota }) => formatNumber(quota), isNumeric: true },
      { title: 'Seats', cell: ({ seats }) => formatNumber(seats), isNumeric: true },
    ],
  })
}
