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

  /** Guesses three keys; whether the third one was cut off: then all came from one address. */
  const isOne = async (api: TestApi, ...forwarded: readonly string[]): Promise<boolean> => {
    let status = 0
    for (const [i, address] of forwarded.entries()) {
      const headers = { 'x-api-key': `ks_${String(i).repeat(12)}_${'0'.repeat(26)}`, 'x-forwarded-for': address }
      status = (await call(api.url, 'GET', '/v1/account', { headers })).status
    }
    return status === 429
  }

  it('is what the outermost trusted proxy saw, whatever the caller wrote before it', async () => {
    expect(await isOne(behindOne, '1.1.1.1, 203.0.113.1', '2.2.2.2, 203.0.113.1', '3.3.3.3, 203.0.113.1')).to.equal(
      true,
    )
    expect(await isOne(behindOne, '203.0.113.2', '203.0.113.3', '203.0.113.4')).to.equal(false)
    expect(
      await isOne(
        behindTwo,
        '1.1.1.1, 203.0.113.1, 10.0.0.1',
        '203.0.113.1, 10.0.0.2',
        '9.9.9.9, 203.0.113.1, 10.0.0.3',
      ),
    ).to.equal(true)
  })

  it('is the connection itself where nobody is trusted, and where the header is too short or no address', async () => {
    expect(await isOne(behindTwo, '203.0.113.7', 'nonsense, 10.0.0.1', '999.1.1.1, 10.0.0.1')).to.equal(true)
    expect(await isOne(direct, '203.0.113.2', '203.0.113.3', '203.0.113.4')).to.equal(true)
  })
})
