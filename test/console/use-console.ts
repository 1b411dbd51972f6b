import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { OverviewSettings } from '../../api/overview/services.ts'
import { createMailer } from '../../core/accounts/mail/create-mailer.ts'
import type { Limits } from '../../core/limits.ts'
import { givenApiTenant, useApi, type ApiTenant, type TestApi } from '../support/api.ts'
import { useMailServer, type MailServer } from '../support/mail/smtp.ts'
import { canOpenPages, usePages, type Look, type OpenPage } from '../support/pages/pages.ts'
import { useService, type TestService } from '../support/workflows/service.ts'

/** The console of a whole service: workers, mail server, API, and a browser to look at it with. */
export interface TestConsole {
  readonly api: TestApi
  readonly service: TestService
  readonly mails: MailServer
  /** Opens an address of the console, `/` when absent. */
  readonly open: (path?: string, look?: Look) => Promise<OpenPage>
  /** Signs a tenant in with its key, on the page at this address. */
  readonly signIn: (tenant: ApiTenant, path?: string, look?: Look) => Promise<OpenPage>
  readonly givenTenant: () => Promise<ApiTenant>
}

/** Runs all of it for the surrounding suite. Its mails are sent by SMTP. */
export function useConsole(
  options: {
    /** Read when the server starts: only then other servers of a test have their addresses. */
    readonly settings?: () => Partial<OverviewSettings>
    readonly limits?: Partial<Limits>
    /** Where workers and API look for base models. */
    readonly baseFolders?: readonly string[]
  } = {},
): TestConsole {
  const server = useMailServer()
  const { baseFolders = [] } = options
  const service = useService({
    baseFolders,
    change: (deps) => ({
      ...deps,
      mailer: createMailer({ smtpUrl: server.current.smtpUrl, from: 'Service <no-reply@service.test>' }),
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    get settings() {
      return { isMailConfigured: true, baseFolders, ...options.settings?.() }
    },
    limits: { mails_per_ip_15min: 1000, invites_per_ip_15min: 1000, ...options.limits },
  })
  const pages = usePages()
  const open = async (path = '/', look?: Look): Promise<OpenPage> => await pages.open(`${api.url}${path}`, look)
  return {
    api,
    service,
    get mails() {
      return server.current
    },
    open,
    signIn: async (tenant, path, look) => {
      const opened = await open(path === undefined || path === '/' ? '/#/sign-in' : path, look)
      await opened.page.getByLabel('API key').fill(tenant.key)
      await opened.page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await opened.page.getByRole('button', { name: 'Sign out' }).waitFor()
      await settled(opened.page)
      return opened
    },
    givenTenant: async () => await givenApiTenant(api),
  }
}

/** Declares a test that needs a browser. */
export function itInBrowser(title: string, test: Mocha.AsyncFunc): void {
  // Read with each call: in a process that runs several files, each file has an `it` of its own.
  const declare = canOpenPages ? it : it.skip
  declare(title, test)
}

/** Part of a selector: a page that is read to its end. */
export const READ = ':not([aria-busy]):not(:has(.further[aria-busy=true]))'

/** Waits until the page, and what stands further down it, has read what it shows. */
export async function settled(page: Page): Promise<void> {
  await page.locator(`main[data-page]${READ}`).waitFor()
}

/** Waits for the page with this heading. */
export async function shown(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor()
}

/** Nothing was asked of another server, and the page's policy has held nothing back. */
export function expectUntroubled(opened: OpenPage): void {
  const origin = new URL(opened.page.url()).origin
  expect(opened.requests.filter((url) => new URL(url).origin !== origin)).to.deep.equal([])
  expect(opened.troubles).to.deep.equal([])
}

/** As `expectUntroubled`, and the server has refused no call: the browser's console is empty. */
export function expectSilent(opened: OpenPage): void {
  expectUntroubled(opened)
  expect(opened.refusals).to.deep.equal([])
}
