import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const run = promisify(execFile)

/** Where Debian puts it. */
const CHROMIUM = '/usr/bin/chromium'
/** Milliseconds of the page's own clock; it stands still while a request is under way. */
const VIRTUAL_TIME_MS = 15_000
/** Nobody listens there: whatever is not for this machine, the browser's own chatter too, ends here. */
const DEAD_PROXY = 'http://127.0.0.1:9'

/** Whether there is a browser to test with. */
export const hasChromium = existsSync(CHROMIUM)

/** What a browser made of a page. */
export interface RenderedPage {
  /** The document after its scripts have run. */
  readonly html: string
  /** Addresses that the page itself asked for, in their order. */
  readonly requests: readonly string[]
  /** What the browser wrote on the page's console. */
  readonly console: readonly string[]
}

const NetLog = z.object({
  events: z.array(
    z.object({ params: z.object({ url: z.string().optional(), initiator: z.string().optional() }).optional() }),
  ),
})

/** Opens a page in a browser of its own and lets its scripts run. Throws when the browser does not end well. */
export async function renderPage(url: string): Promise<RenderedPage> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-chromium-'))
  try {
    const netLog = join(folder, 'net.json')
    const { stdout, stderr } = await run(
      CHROMIUM,
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--proxy-server=${DEAD_PROXY}`,
        `--user-data-dir=${join(folder, 'profile')}`,
        `--log-net-log=${netLog}`,
        '--enable-logging=stderr',
        `--virtual-time-budget=${VIRTUAL_TIME_MS}`,
        '--dump-dom',
        url,
      ],
      { maxBuffer: 64 * 1024 * 1024, timeout: 60_000, killSignal: 'SIGKILL' },
    )
    const { events } = NetLog.parse(JSON.parse(await readFile(netLog, 'utf8')))
    const { origin } = new URL(url)
    return {
      html: stdout,
      requests: events.flatMap(({ params }) => (params?.initiator === origin && params.url ? [params.url] : [])),
      console: stderr.split('\n').filter((line) => line.includes(':CONSOLE:')),
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
