/** A real nginx with a temporary configuration, on a free port of the loopback interface. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import net from "node:net";
import path from "node:path";
import { findNginx } from "../../../scripts/lib/system.mjs";

const temporary = new URL("../../../build/tmp/", import.meta.url).pathname;

/** Undefined if nginx is missing, as on systems where `npm test` cannot install it. */
export const nginxProgram: string | undefined = findNginx();

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function configuration(folder: string, port: number, locations: string): string {
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
pid ${folder}/pid;
error_log ${folder}/errors warn;
worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  ${places.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  types { application/json json; text/html html; }
  default_type application/octet-stream;
  limit_req_zone $binary_remote_addr zone=slow:1m rate=20r/s;
  proxy_cache_path ${folder}/cache keys_zone=kept:1m;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/www;
    ${locations}
  }
}
`;
}

export class NginxServer {
  readonly #folder: string;
  #process: ChildProcess | undefined;
  url = "";

  private constructor() {
    mkdirSync(temporary, { recursive: true });
    this.#folder = mkdtempSync(path.join(temporary, "nginx-"));
  }

  /**
   * Starts it.
   * @param objects the objects below each of the places
   * @param places names of folders that hold all of the objects
   * @param locations the body of the server's configuration
   */
  static async start(
    objects: Record<string, Uint8Array>,
    places: readonly string[],
    locations: string,
  ): Promise<NginxServer> {
    const server = new NginxServer();
    server.#write(objects, places);
    for (let tries = 0; !(await server.#run(locations)); tries++) {
      if (tries === 4) throw new Error(`nginx does not start: ${server.errors}`);
    }
    return server;
  }

  #write(objects: Record<string, Uint8Array>, places: readonly string[]): void {
    const data = path.join(this.#folder, "data");
    for (const [key, bytes] of Object.entries(objects)) {
      const file = path.join(data, key);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
    mkdirSync(path.join(this.#folder, "www"));
    writeFileSync(path.join(this.#folder, "www/404.html"), "<!doctype html><h1>Not here</h1>");
    writeFileSync(path.join(this.#folder, "passwords"), "reader:{PLAIN}secret\n");
    for (const place of places) symlinkSync(data, path.join(this.#folder, "www", place));
  }

  /** Whether it started: another program may have taken the port. */
  async #run(locations: string): Promise<boolean> {
    const port = await freePort();
    const file = path.join(this.#folder, "nginx.conf");
    writeFileSync(file, configuration(this.#folder, port, locations.replaceAll("FOLDER", this.#folder)));
    const child = spawn(nginxProgram!, ["-c", file, "-e", path.join(this.#folder, "errors")], {
      stdio: "ignore",
    });
    this.#process = child;
    this.url = `http://127.0.0.1:${port}`;
    while (child.exitCode === null) {
      if (await answers(port)) return true;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return false;
  }

  /** Contents of the error log. */
  get errors(): string {
    const file = path.join(this.#folder, "errors");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  async stop(): Promise<void> {
    const child = this.#process!;
    if (child.exitCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
