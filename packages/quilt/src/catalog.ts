/** What resources read from: the login, its registry, its catalog, and AWS. */
import type { CredentialChoice } from './aws/credentials.js';
import { Aws, type AwsSession } from './aws/session.js';
import { currentLogin, type Login } from './login/login.js';
import { CatalogConfigs, TIMEOUT_MS } from './registry/http.js';
import { Registry } from './registry/registry.js';
import type { Secrets } from './secrets.js';

export interface CatalogOptions {
  /** Overrides the environment and the configuration of `quilt3`. */
  readonly catalog: string | undefined;
  readonly credentials: CredentialChoice;
  readonly environment: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
}

export class Catalog {
  readonly configs = new CatalogConfigs();
  readonly registry = new Registry(this.configs);
  readonly #aws: Aws;
  readonly #options: CatalogOptions;

  constructor(options: CatalogOptions) {
    this.#options = options;
    const { credentials: choice, environment, secrets } = options;
    this.#aws = new Aws({ choice, configs: this.configs, environment, registry: this.registry, secrets });
  }

  login(): Promise<Login> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const registryOf = (catalogUrl: string) =>
      this.configs.of(catalogUrl, timeout).then(
        ({ registryUrl }) => registryUrl,
        () => undefined,
      );
    return currentLogin({ ...this.#options, registryOf });
  }

  session(login: Login, signal: AbortSignal): Promise<AwsSession> {
    return this.#aws.session(login, signal);
  }

  close(): void {
    this.#aws.close();
  }
}
