import { expect } from 'chai'
import { useApi } from '../support/api.ts'

describe('the files of the console', () => {
  const api = useApi()

  it('are served with a policy that lets nothing in from elsewhere, and are asked for once', async () => {
    const page = await api.call('GET', '/')
    expect(page.headers.get('content-type')).to.contain('text/html')
    const policy = page.headers.get('content-security-policy')
    expect(policy).to.contain("default-src 'none'").and.contain("require-trusted-types-for 'script'")
    expect(policy).not.to.contain('unsafe')
    expect(page.text).not.to.match(/<script>|<style>| style=| on\w+=|https?:\/\//)
    const links = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links).to.have.length.greaterThan(5)
    for (const link of links) expect((await api.call('GET', link)).status, link).to.equal(200)
    const again = await api.call('GET', '/', { headers: { 'if-none-match': page.headers.get('etag') ?? '' } })
    expect(again.status).to.equal(304)
  })

  it('are those of the folder that browsers read, and no others', async () => {
    for (const path of [
      '/console/tsconfig.json',
      '/console/',
      '/console/index.html',
      '/console/../package.json',
      '/console/none.js',
    ]) {
      expect((await api.call('GET', path)).status, path).to.equal(404)
    }
    expect((await api.call('POST', '/')).status).to.equal(404)
  })

  it('shows a page for an address of the documentation that leads nowhere, and leads on from those that people type', async () => {
    const get = async (path: string, accept: string) =>
      await fetch(`${api.url}${path}`, { headers: { Accept: accept }, redirect: 'manual' })
    const missing = await get('/docs/guides/nope', 'text/html,*/*;q=0.8')
    expect([missing.status, missing.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8'])
    const text = await missing.text()
    expect(text).to.contain('This page does not exist').and.to.contain('href="/docs/guides/get-started"')
    const program = await get('/docs/guides/nope', 'application/json')
    expect(program.status).to.equal(404)
    expect(await program.text()).to.contain('route_not_found')
    for (const path of ['/docs/guides/files/', '/docs/guides/files.md']) {
      const moved = await get(path, 'text/html')
      expect([moved.status, moved.headers.get('location')], path).to.deep.equal([302, '/docs/guides/files'])
    }
  })
})
