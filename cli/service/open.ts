import { spawn } from 'node:child_process'
import type { CliContext } from '../context.ts'

/** The programs that open an address in the browser, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** `svc open`: shows the console, or the page of a job or an artifact, in the browser. */
export async function openConsole(
  context: CliContext,
  target: string | undefined,
  options: { readonly print?: boolean },
): Promise<void> {
  const url = `${await context.url()}/${target === undefined ? '' : `#/job/${encodeURIComponent(target)}`}`
  const isOpened = options.print !== true && !context.output.isJson && (await startBrowser(url))
  context.output.result({ url, opened: isOpened }, () => url)
}

/** Starts the browser. Returns false where there is none. */
async function startBrowser(url: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
