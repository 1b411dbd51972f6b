import { expect } from 'chai'
import { countedAddress } from '../../../api/kernel/request/client-ip.ts'

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
