import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

/** Where Debian puts them: the one without a window of its own starts and draws in half of the time. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const executablePath = BROWSERS.find((path) => existsSync(path))
/** Pictures of the pages, for people to look at. */
const PICTURES = '.out/console'
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Whether there is a browser to test with. */
export const canOpenPages = executablePath !== undefined

/** The conditions under which a page is looked at. */
export interface Look {
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  readonly locale?: string
  readonly timeZone?: string
}

/** A page in a browser context of its own. */
export interface OpenPage {
  readonly page: Page
  /** Addresses that the page asked for. */
  readonly requests: readonly string[]
  /** Errors on the page's console, and those that nothing caught. */
  readonly troubles: readonly string[]
  /** Calls and files that the server refused, as the browser logs them, each with its address. */
  readonly refusals: readonly string[]
  close(): Promise<void>
}

/** A real browser, started when the first page of the process is opened. */
export interface PageBrowser {
  open(url: string, look?: Look): Promise<OpenPage>
}

/** Milliseconds that a page may take for anything: the machine that tests may be busy. */
const PATIENCE_MS = 60_000
/** Set in a process that runs one file after the other; it ends with its browser when no file is left. */
const IS_SHARED = process.env['MOCHA_WORKER_ID'] !== undefined

let starting: Promise<Browser> | undefined

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    timeout: PATIENCE_MS,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
  })
  browser.once('disconnected', () => (starting = undefined))
  return browser
}

/** Pages for the surrounding suite, each in a context of its own: suites of one process share the browser and nothing else. */
export function usePages(): PageBrowser {
  const contexts: BrowserContext[] = []
  after(async () => {
    for (const context of contexts) await context.close()
    if (!IS_SHARED) await (await starting)?.close()
  })
  return {
    async open(url, { scheme = 'light', width = 1200, locale = 'en-GB', timeZone = 'Europe/Berlin' } = {}) {
      starting ??= launch()
      const browser = await starting
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme: scheme,
        locale,
        timezoneId: timeZone,
        // A picture of a page that is still fading in shows neither the one nor the other.
        reducedMotion: 'reduce',
      })
      contexts.push(context)
      context.setDefaultTimeout(PATIENCE_MS)
      return await watch(context, url)
    },
  }
}

async function watch(context: BrowserContext, url: string): Promise<OpenPage> {
  const page = await context.newPage()
  const requests: string[] = []
  const troubles: string[] = []
  const refusals: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('pageerror', (error) => troubles.push(String(error)))
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    // Apart from the others: a test that has calls refused expects them.
    if (message.text().startsWith('Failed to load resource'))
      refusals.push(`${message.text()} ${message.location().url}`)
    else troubles.push(message.text())
  })
  await page.goto(url)
  return { page, requests, troubles, refusals, close: async () => await context.close() }
}

/** The checked part of a page: all of it, its colours, which a theme changes, or the rest, which a width changes. */
export type Barriers = 'all' | 'colours' | 'shapes'

/** Returns the barriers that axe finds on the page, one line for each rule. */
export async function findBarriers(page: Page, of: Barriers = 'all'): Promise<readonly string[]> {
  // Evaluated by the debugger, so that the page's policy, which lets no foreign script in, stays as it is.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(await readFile(AXE, 'utf8'))
  return await page.evaluate(async (which) => {
    interface Found {
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
    }
    const { axe }: { axe?: { run(options: object): Promise<Found> } } = globalThis as object
    const choices = {
      all: {},
      colours: { runOnly: ['color-contrast', 'link-in-text-block'] },
      shapes: { rules: { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false } } },
    }
    const { violations } = (await axe?.run({ resultTypes: ['violations'], ...choices[which] })) ?? { violations: [] }
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, of)
}

/** Takes a picture of the whole page, where `SVC_PICTURES` asks for them: they cost as much as the tests. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env['SVC_PICTURES'] === undefined) return
  await mkdir(PICTURES, { recursive: true })
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true })
}
