import { expect } from 'chai'
import { AdapterAskers, type Asker } from '../../../core/model/generation/thread/adapter-askers.ts'
import { Inbox } from '../../../core/kernel/threads/inbox.ts'
import type { LoraAdapter } from '../../../core/model/files/lora-adapter.ts'

const ADAPTER: LoraAdapter = { config: { rank: 1, alpha: 1, targetModules: [] }, tensors: new Map() }

function givenAsker() {
  const feed = new Inbox<LoraAdapter>()
  let asked = 0
  const asker: Asker = { tell: () => void asked++, next: async () => await feed.next() }
  return { asker, feed, asked: () => asked }
}

describe('the callers that have an adapter', () => {
  it('are asked one at a time, and once for all who wait for it', async () => {
    const askers = new AdapterAskers()
    const [one, two] = [givenAsker(), givenAsker()]
    const both = [one, two].map(
      async ({ asker }) => await askers.during('a', asker, async () => await askers.fetch('a')),
    )
    one.feed.push(ADAPTER)
    expect(await Promise.all(both)).to.deep.equal([ADAPTER, ADAPTER])
    expect([one.asked(), two.asked()]).to.deep.equal([1, 0])
  })

  it('follow one who gave up', async () => {
    const askers = new AdapterAskers()
    const [one, two] = [givenAsker(), givenAsker()]
    const both = [one, two].map(
      async ({ asker }) => await askers.during('a', asker, async () => await askers.fetch('a')),
    )
    one.feed.fail(new Error('no longer wanted'))
    two.feed.push(ADAPTER)
    expect(await Promise.all(both)).to.deep.equal([ADAPTER, ADAPTER])
    expect(two.asked()).to.equal(1)
  })

  it('are none when every one gave up, until the next comes', async () => {
    const askers = new AdapterAskers()
    const [gone, next] = [givenAsker(), givenAsker()]
    gone.feed.fail(new Error('no longer wanted'))
    const first = askers.during('a', gone.asker, async () => await askers.fetch('a'))
    expect(await first.catch((error: unknown) => error))
      .to.have.property('message')
      .that.includes('cancelled')
    next.feed.push(ADAPTER)
    expect(await askers.during('a', next.asker, async () => await askers.fetch('a'))).to.equal(ADAPTER)
  })
})
