import { expect } from 'chai'
import { mailsTo } from '../../../support/mail/mails.ts'
import { signedEvent } from '../../../support/stripe/objects.ts'
import { expectRefused, givenCaller, givenProgram, type Doors } from './door.ts'

const entries = (count: number) => Array.from({ length: count }, () => 1)

/** Doors of bodies, repeated calls, mails and sign-ins. */
export const KERNEL_DOORS: Doors = {
  json_parts: {
    at: 500,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const answer = await caller.ask('POST', '/v1/account/next-actions/snooze', { dismiss_key: entries(at) })
      expectRefused(answer, [400, 'validation_failed'])
      expect(answer.body.error).to.contain(`more than ${at} members and entries`)
      const fits = await caller.ask('POST', '/v1/account/next-actions/snooze', { dismiss_key: entries(at - 1) })
      expect(fits.body.error).not.to.contain('members and entries')
    },
  },
  public_json_parts: {
    at: 200,
    shows: async ({ api }, at) => {
      const answer = await api.call('POST', '/v1/signup', { body: { email: entries(at) } })
      expectRefused(answer, [400, 'validation_failed'])
      expect(answer.body.error).to.contain(`more than ${at} members and entries`)
    },
  },
  inline_body_parts: {
    at: 2000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const answer = await caller.ask('POST', '/v1/compile', { task: 'x', examples: entries(at) })
      expectRefused(answer, [400, 'validation_failed'])
      expect(answer.body.error).to.contain(`more than ${at} members and entries`)
    },
  },
  idempotency_hours: {
    at: 0,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const { jobId } = await givenProgram(on, caller)
      const share = async () =>
        await caller.ask('POST', '/v1/share-links', { target_id: jobId }, { headers: { 'idempotency-key': 'once' } })
      const [first, again] = [await share(), await share()]
      expect([first.status, again.status], again.text).to.deep.equal([201, 201])
      expect(again.body.url).not.to.equal(first.body.url)
    },
  },
  verify_token_hours: {
    at: 5,
    shows: async ({ api }, at) => {
      const { db } = api.server.services
      const email = `hours-${at}@example.test`
      expect((await api.call('POST', '/v1/signup', { body: { email, name: 'Given' } })).status).to.equal(201)
      const [mail] = await mailsTo(db, email)
      const hours = (Date.parse(mail?.params['expires_at'] ?? '') - Date.now()) / 3_600_000
      expect(hours).to.be.within(at - 0.1, at)
    },
  },
  login_attempt_minutes: {
    at: 7,
    shows: async ({ api }, at) => {
      const answer = await api.call('GET', '/v1/oauth/github/start')
      expect(answer.status, answer.text).to.equal(302)
      expect(answer.headers.get('set-cookie')).to.contain(`Max-Age=${at * 60}`)
    },
  },
  webhook_tolerance_s: {
    at: 60,
    shows: async ({ api }, at) => {
      const event = { id: 'evt_1', object: 'event', type: 'unknown.event', created: 1, livemode: false, data: {} }
      const codeAfter = async (seconds: number) => {
        const { payload, header } = signedEvent(event, new Date(Date.now() - seconds * 1000))
        const headers = { 'stripe-signature': header }
        return (await api.call('POST', '/v1/webhooks/stripe', { raw: payload, headers })).body.code
      }
      expect(await codeAfter(at + 5)).to.equal('invalid_signature')
      expect(await codeAfter(at - 30)).not.to.equal('invalid_signature')
    },
  },
}
