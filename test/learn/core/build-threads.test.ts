import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { openBuildThreads } from '../../../core/learn/datasets/build/build-threads.ts'
import { INPUT } from './grow-dataset.ts'

/** Rows after which a build reports its progress. */
const REPORTED = 5000

describe('threads of builds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-build-'))
  const threads = openBuildThreads(1)
  let pipe: FileHandle
  const captures = join(folder, 'captures.jsonl')
  before(async () => {
    execFileSync('mkfifo', [captures])
    // Open on both sides, so that neither side waits for the other.
    pipe = await open(captures, 'r+')
  })
  after(async () => {
    await threads.close()
    await pipe.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('end a build that is aborted when its thread is gone, so that its folder can be removed', async () => {
    const ending = new AbortController()
    const reported = Promise.withResolvers<void>()
    let hasEnded = false
    const building = threads
      .build({ ...INPUT, folder, files: [], captures }, { signal: ending.signal, onProgress: () => reported.resolve() })
      .catch((error: unknown) => error)
      .finally(() => {
        hasEnded = true
      })
    const line = (place: number): string => {
      return JSON.stringify({ id: `cap_${place}`, conversation: null, row: { prompt: `p ${place}`, completion: 'c' } })
    }
    const lines = Array.from({ length: REPORTED }, (_, place) => `${line(place)}\n`)
    await pipe.writeFile(lines.join(''))
    await reported.promise
    // The thread reads on: it has no end before this read has one.
    ending.abort(new Error('not wanted any more'))
    for (let round = 0; round < 10; round++) await turn()
    expect(hasEnded, 'the thread is still there').to.equal(false)
    await pipe.write(`${line(REPORTED)}\n`)
    expect(await building).to.have.property('message', 'not wanted any more')
  })
})
