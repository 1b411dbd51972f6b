import { isDeepStrictEqual } from 'node:util'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { mailsTo } from '../../../test/support/mail/mails.ts'
import { ADDRESS_PROBES, shapeOf, type AddressProbe } from '../../../test/support/wire/walks/address-probes.ts'
import { behind } from '../../harness/behind.ts'
import { callerAt, nextAddress, type AddressCaller } from '../../harness/from-address.ts'
import { quantile } from '../../harness/report.ts'
import type { BenchService } from '../../harness/service.ts'
import type { Surroundings } from '../../harness/surroundings.ts'
import { atLeast, atMost, LIMITS_OF_ADDRESSES, type Attack } from '../attack.ts'

/** So many that no owner gets more sign-ups than notices an hour: with those used up, a sign-up writes less. */
const OWNERS = 24
const PROBES_OF_ONE_ADDRESS = 300
/** Sign-ups of addresses with an account, each beside one of an address without. */
const PAIRS = 3 * OWNERS
/** Highest chance to tell by the time of one sign-up whether the address has an account: 0.5 is none, and chance alone moves it by 0.05. */
const MOST_CHANCE = 0.65

const Confirmed = z.object({ token: z.string() })

/**
 * Asks by sign-up, and by every other call that takes an address of a stranger, which addresses have an account: from
 * one address until it is refused, and from hundreds.
 */
export const signUpProbes: Attack = {
  name: 'sign-up-probes',
  limits: LIMITS_OF_ADDRESSES,
  async run(service, { mails }) {
    const { apiUrl } = service
    const owners = await Promise.all(Array.from({ length: OWNERS }, async () => await givenOwner(apiUrl, mails)))
    const answered = await probeFromOne(apiUrl, owners)
    const { differing, known, unknown } = await probeFromMany(apiUrl, owners)
    const others = await probeOtherCalls(apiUrl, owners.slice(0, OWNERS / 3))
    const chance = chanceToTell(known, unknown)
    const medians = [known, unknown].map((times) => quantile(times, 0.5).toFixed(1))
    console.log(`  median ms of a sign-up: ${medians[0]} with an account, ${medians[1]} without`)
    return [
      atMost('sign-ups that one address gets answered a day', answered, DEFAULT_LIMITS.signups_per_ip_day),
      atLeast('sign-ups of addresses with an account', known.length, PAIRS),
      atMost('of these, answered unlike addresses without', differing),
      atMost('chance to tell one by its time, 0.5 is none', Math.max(chance, 1 - chance), MOST_CHANCE),
      atLeast('other calls with an address with an account', others.tried, 50),
      atMost('of these, answered unlike addresses without', others.differing),
      ...(await mailsOf(service, owners)),
    ]
  },
}

const newEmail = () => `a${randomBytes(6).toString('hex')}@example.test`

async function at<T>(apiUrl: string, work: (caller: AddressCaller) => Promise<T>): Promise<T> {
  const caller = callerAt(apiUrl, nextAddress())
  try {
    return await work(caller)
  } finally {
    await caller.close()
  }
}

async function signUp(caller: AddressCaller, email: string) {
  return await caller.call('POST', '/v1/signup', { body: { email, name: 'Newcomer', plan: 'free' } })
}

/** Signs an address up and follows the link of the mail, as its owner does. */
async function givenOwner(apiUrl: string, mails: Surroundings['mails']): Promise<string> {
  return await at(apiUrl, async (caller) => {
    const email = newEmail()
    await signUp(caller, email)
    const { text = '' } = await mails.next(email)
    const body = Confirmed.parse({ token: /#confirm=([\w-]+)/.exec(text)?.[1] })
    const { status } = await caller.call('POST', '/v1/auth/email/confirm', { body })
    if (status !== 200) throw new Error(`the confirmation of an address answered ${status}`)
    return email
  })
}

/** Probes from one address, right and wrong; answers how many calls were not refused by its limit. */
async function probeFromOne(apiUrl: string, owners: readonly string[]): Promise<number> {
  return await at(apiUrl, async (caller) => {
    let answered = 0
    for (let i = 0; i < PROBES_OF_ONE_ADDRESS; i++) {
      const owner = owners[i % owners.length] ?? ''
      const email = [owner, newEmail(), 'no-address', owner.toUpperCase()][i % 4] ?? ''
      if ((await signUp(caller, email)).status !== 429) answered++
    }
    return answered
  })
}

/** Signs up known and unknown addresses in turn, each from an address of its own; milliseconds of each. */
async function probeFromMany(apiUrl: string, owners: readonly string[]) {
  const [known, unknown]: [number[], number[]] = [[], []]
  let differing = 0
  const probe = async (email: string, times: number[]) =>
    await at(apiUrl, async (caller) => {
      // The time of the connection is not that of the sign-up.
      await caller.call('GET', '/health')
      const startedAt = performance.now()
      const answer = await signUp(caller, email)
      times.push(performance.now() - startedAt)
      return shapeOf(answer)
    })
  for (let i = 0; i < PAIRS; i++) {
    const owner = owners[i % owners.length] ?? ''
    const ofUnknown = await probe(newEmail(), unknown)
    const ofKnown = await probe(i % 2 === 0 ? owner : owner.toUpperCase(), known)
    if (!isDeepStrictEqual(ofKnown, ofUnknown)) differing++
  }
  return { differing, known, unknown }
}

/** The other calls that take an address of a stranger, each pair from one address. */
async function probeOtherCalls(apiUrl: string, owners: readonly string[]) {
  let tried = 0
  let differing = 0
  for (const probe of ADDRESS_PROBES) {
    for (const owner of owners) {
      const [ofKnown, ofUnknown] = await Promise.all([ask(apiUrl, probe, owner), ask(apiUrl, probe, newEmail())])
      tried++
      if (isDeepStrictEqual(ofKnown, ofUnknown)) continue
      console.log(`  ${probe.path}: ${JSON.stringify([ofKnown, ofUnknown])}`)
      differing++
    }
  }
  return { tried, differing }
}

async function ask(apiUrl: string, { path, takesWorkspace, bodyOf }: AddressProbe, email: string): Promise<unknown> {
  return await at(apiUrl, async (caller) => {
    const opened = takesWorkspace ? await caller.call('POST', '/v1/anon/bootstrap', { body: {} }) : undefined
    return shapeOf(await caller.call('POST', path, { body: bodyOf(email, String(opened?.body.anon_token)) }))
  })
}

/** Share of pairs in which the known address took longer: the area under the ROC curve of a guess by time. */
function chanceToTell(known: readonly number[], unknown: readonly number[]): number {
  let longer = 0
  for (const a of known) for (const b of unknown) if (a > b) longer++
  return longer / (known.length * unknown.length)
}

/** The mails that say to an owner that the address was signed up with. */
async function mailsOf(service: BenchService, owners: readonly string[]) {
  return await behind(service, async ({ server }) => {
    const all = await Promise.all(owners.map(async (owner) => await mailsTo(server.services.db, owner)))
    const notices = all.map((mails) => mails.filter(({ template }) => template === 'address_in_use'))
    const most = Math.max(...notices.map((mails) => mails.length))
    const opening = notices.flat().filter(({ params }) => JSON.stringify(params).includes('#confirm='))
    return [
      atLeast('owners who got a mail', notices.filter((mails) => mails.length > 0).length, owners.length),
      atMost('most notices to one owner in an hour', most, DEFAULT_LIMITS.mails_per_address_hour),
      atMost('of these notices, with a link that opens something', opening.length),
    ]
  })
}
