import type { ApiTenant } from '../../../support/api.ts'
import { givenCharge } from '../../../billing/api/given-paying.ts'
import type { useBilling } from '../../../billing/api/use-billing.ts'
import type { Effects, Sample } from './capture-samples.ts'

/** Calls about people, teams and plans. */
export function accountSamples(
  billing: ReturnType<typeof useBilling>,
  tenant: ApiTenant,
  { rows, lines }: Effects,
): Readonly<Record<string, Sample | (() => Promise<Sample>)>> {
  const { api, stripe } = billing
  return {
    createTeam: { path: '/v1/teams', body: { name: 'Research' }, effects: rows('teams') },
    inviteToTeam: async () => {
      const made = await api.call('POST', '/v1/teams', { key: tenant.key, body: { name: 'Before' } })
      return {
        path: `/v1/teams/${made.body.team.id}/invite`,
        body: { email: 'ada@example.test', role: 'member' },
        effects: rows('invitations'),
      }
    },
    inviteToOrg: {
      path: `/v1/orgs/${tenant.id}/invites`,
      body: { email: 'bob@example.test', role: 'member' },
      effects: rows('invitations'),
    },
    createCheckout: {
      path: '/v1/billing/checkout',
      body: { plan: 'pro' },
      effects: lines('billing.checkout_started'),
    },
    changePlan: {
      path: '/v1/account/change-plan',
      body: { plan: 'starter' },
      effects: lines('billing.checkout_started'),
    },
    cancelPlan: { path: '/v1/account/cancel', effects: lines('billing.cancel_requested') },
    refundCharge: async () => {
      const charge = await givenCharge(billing)
      return {
        path: '/v1/admin/refund',
        body: { charge, amount_cents: 500 },
        effects: async () => [...stripe.state.refunds.values()].filter((refund) => refund['charge'] === charge).length,
      }
    },
  }
}
