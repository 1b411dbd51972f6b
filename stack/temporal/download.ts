import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)
/** Without a network the next way should be tried soon. */
const CONNECT_TIMEOUT_MS = 5000
/** Between two pieces of a download that has begun. */
const STALL_TIMEOUT_MS = 20_000

/** SHA-256 of the release archives of the pinned version, by platform and architecture of Node. */
const DIGESTS: Readonly<Record<string, string>> = {
  'linux-x64': 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  'linux-arm64': 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  'darwin-x64': 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  'darwin-arm64': 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
}

/** The address of a release, and the expected hash of its archive. */
export interface TemporalRelease {
  readonly url: string
  readonly sha256: string
}

/** The release archive for this machine. Throws when none is published for it. */
export function temporalRelease(version: string): TemporalRelease {
  const sha256 = DIGESTS[`${process.platform}-${process.arch}`]
  if (sha256 === undefined) throw new Error(`no release for ${process.platform} on ${process.arch} is pinned`)
  const name = `temporal_cli_${version}_${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}.tar.gz`
  return { url: `https://github.com/temporalio/cli/releases/download/v${version}/${name}`, sha256 }
}

/**
 * Puts the official CLI at `target`, in one step and only when its archive has the pinned digest. Gives up after a few
 * seconds without a network. Throws an `Error` that says why.
 */
export async function downloadTemporal(
  version: string,
  target: string,
  log: (line: string) => void,
  release: TemporalRelease = temporalRelease(version),
): Promise<void> {
  const folder = dirname(target)
  const draft = `${folder}.download-${process.pid}`
  await mkdir(draft, { recursive: true })
  try {
    const archive = join(draft, 'archive.tar.gz')
    const digest = await fetchTo(release.url, archive, () => log(`downloading the Temporal CLI ${version}`))
    if (digest !== release.sha256) throw new Error(`the archive is not the published one (sha256 ${digest})`)
    await execute('tar', ['-xzf', archive, '-C', draft, 'temporal'])
    await chmod(join(draft, 'temporal'), 0o755)
    await mkdir(folder, { recursive: true })
    await rename(join(draft, 'temporal'), target)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Streams an address into a file and answers the SHA-256 of what came. */
async function fetchTo(url: string, file: string, onAnswer: () => void): Promise<string> {
  const stop = new AbortController()
  let timer = setTimeout(() => stop.abort(new Error('no answer in time')), CONNECT_TIMEOUT_MS)
  try {
    const response = await fetch(url, { signal: stop.signal })
    if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`)
    onAnswer()
    const hash = createHash('sha256')
    const tap = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        clearTimeout(timer)
        timer = setTimeout(() => stop.abort(new Error('the download stalled')), STALL_TIMEOUT_MS)
        hash.update(chunk)
        done(null, chunk)
      },
    })
    await pipeline(Readable.fromWeb(response.body), tap, createWriteStream(file), { signal: stop.signal })
    return hash.digest('hex')
  } finally {
    clearTimeout(timer)
  }
}
