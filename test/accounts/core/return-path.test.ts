import { expect } from 'chai'
import { returnPathOf, withParameter } from '../../../core/accounts/sign-in/return-path.ts'

describe('return paths', () => {
  it('stay as they are when they lead to this service', () => {
    for (const path of ['/', '/jobs', '/jobs?stage=sign&x=1', '/#jobs', '/a//b', '/jobs?next=//x.test']) {
      expect(returnPathOf(path)).to.equal(path)
    }
  })

  it('can be sent in a header whatever letters they have', () => {
    expect(returnPathOf('/größe?wort=日本')).to.match(/^\/gr%C3%B6%C3%9Fe\?wort=%E6%97%A5/)
  })

  it('are the first page when they could lead elsewhere', () => {
    const others = [
      undefined,
      null,
      '',
      'jobs',
      'https://evil.test/',
      '//evil.test',
      '///evil.test',
      '/\\evil.test',
      '\\\\evil.test',
      '/\t/evil.test',
      '/\n/evil.test',
      '/.//evil.test',
      '/x/..//evil.test',
      '/%2e//evil.test',
      ' /jobs',
      '/jobs\u2028',
      `/${'a'.repeat(1001)}`,
    ]
    for (const asked of others) expect(returnPathOf(asked), String(asked)).to.equal('/')
  })

  it('take a parameter before their fragment', () => {
    expect(withParameter('/', 'oauth', 'signin')).to.equal('/?oauth=signin')
    expect(withParameter('/jobs?x=1#top', 'oauth', 'a b')).to.equal('/jobs?x=1&oauth=a%20b#top')
  })
})
