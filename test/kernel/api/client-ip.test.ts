import { expect } from 'chai'
import { countedAddress } from '../../../api/kernel/request/client-ip.ts'
import { call, NO_TEMPORAL, useApi, type TestApi } from '../../support/api.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('per-address limits', () => {
  it('count an IPv4 address by itself, however it is written, and of an IPv6 address its /64', () => {
    expect(
      [
        '203.0.113.7',
        '::ffff:203.0.113.7',
        '::FFFF:cb00:7107',
        '2001:db8:1:2:3:4:5:6',
        '2001:db8:1:2::9',
        '2001:db8::1',
        '::1',
        'fe80::1%eth0',
        'unknown',
      ].map(countedAddress),
    ).to.deep.equal([
      '203.0.113.7',
      '203.0.113.7',
      '203.0.113.7',
      '2001:db8:1:2::/64',
      '2001:db8:1:2::/64',
      '2001:db8:0:0::/64',
      '0:0:0:0::/64',
      'fe80:0:0:0::/64',
      'unknown',
    ])
  })
})

describe('the address of a caller', () => {
  const database = useDatabase()
  const given = (trustedProxyHops: number) =>
    useApi({
      stores: () => ({ database, temporal: NO_TEMPORAL }),
      settings: { trustedProxyHops },
      limits: { failed_keys_per_ip_minute: 2 },
    })
  const direct = given(0)
  const behindOne = given(1)
  const behindTwo = given(2)

  /**
   * Guesses five keys; whether any was cut off: then all came from one address. Of five, three fall into one minute also
   * when it turns meanwhile.
   */
  const isOne = async (api: TestApi, forwarded: (guess: number) => string): Promise<boolean> => {
    const statuses: number[] = []
    for (let i = 1; i <= 5; i++) {
      const headers = { 'x-api-key': `ks_${String(i).repeat(12)}_${'0'.repeat(26)}`, 'x-forwarded-for': forwarded(i) }
      statuses.push((await call(api.url, 'GET', '/v1/account', { headers })).status)
    }
    return statuses.includes(429)
  }

  it('is what the outermost trusted proxy saw, whatever the caller wrote before it', async () => {
    expect(await isOne(behindOne, (i) => `${i}.${i}.${i}.${i}, 203.0.113.1`)).to.equal(true)
    expect(await isOne(behindOne, (i) => `203.0.113.${i + 1}`)).to.equal(false)
    expect(await isOne(behindTwo, (i) => `203.0.113.1, 10.0.0.${i}`)).to.equal(true)
    expect(await isOne(behindTwo, (i) => `${i}.${i}.${i}.${i}, 203.0.113.2, 10.0.0.${i}`)).to.equal(true)
    expect(await isOne(behindTwo, (i) => `203.0.113.${i + 2}, 10.0.0.1`)).to.equal(false)
  })

  it('is that of the connection where no proxy is trusted, and where the header is too short or no address', async () => {
    expect(await isOne(behindTwo, (i) => `198.51.100.${i}`)).to.equal(true)
    expect(await isOne(behindTwo, (i) => `nonsense${i}, 10.0.0.1`)).to.equal(true)
    expect(await isOne(behindTwo, (i) => `999.1.1.${i}, 10.0.0.1`)).to.equal(true)
    expect(await isOne(direct, (i) => `203.0.113.${i}`)).to.equal(true)
  })
})
