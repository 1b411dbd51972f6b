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
})
