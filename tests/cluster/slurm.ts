/** A Slurm cluster on this one machine, run by the tests' user, in a separate folder. */
import { execFileSync, type StdioOptions, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, hostname, userInfo } from "node:os";
import path from "node:path";

export interface Slurm {
  /** Environment in which sbatch and related programs use this cluster. */
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** Debian installs the daemons in an sbin folder outside the PATH of users. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (!address || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Requeued jobs wait until their credentials expire: short-lived ones make retries immediate. */
function configuration(dir: string, ports: readonly number[]): string {
  const host = hostname().split(".")[0];
  return `ClusterName=zarr
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
AuthType=auth/munge
AuthInfo=socket=${dir}/munge/socket,cred_expire=5
CryptoType=crypto/munge
SlurmUser=${userInfo().username}
SlurmdUser=${userInfo().username}
StateSaveLocation=${dir}/state
SlurmdSpoolDir=${dir}/spool
SlurmctldPidFile=${dir}/slurmctld.pid
SlurmdPidFile=${dir}/slurmd.pid
SlurmctldLogFile=${dir}/slurmctld.log
SlurmdLogFile=${dir}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${cpus().length} RealMemory=4096 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
`;
}

/** Starts a cluster whose files are below `dir`, an absolute path without blanks. */
export async function startSlurm(dir: string): Promise<Slurm> {
  for (const name of ["munge", "state", "spool"])
    mkdirSync(path.join(dir, name), { recursive: true, mode: 0o700 });
  chmodSync(path.join(dir, "munge"), 0o711);
  writeFileSync(path.join(dir, "munge/key"), randomBytes(1024), { mode: 0o400 });
  writeFileSync(path.join(dir, "slurm.conf"), configuration(dir, [await freePort(), await freePort()]));
  const env = { ...process.env, PATH, SLURM_CONF: path.join(dir, "slurm.conf") };
  const munge = ["key-file=key", "socket=socket", "pid-file=pid", "log-file=log", "seed-file=seed"].map(
    (option) => `--${option.replace("=", `=${dir}/munge/`)}`,
  );
  execFileSync("munged", ["--force", ...munge], { env, stdio: "pipe" });
  const output: StdioOptions = ["ignore", "ignore", "ignore"]; // they have log files
  const daemons = ["slurmctld", "slurmd"].map((name) => spawn(name, ["-D"], { env, stdio: output }));
  const stop = async () => {
    for (const daemon of daemons.reverse()) {
      if (daemon.exitCode !== null) continue;
      const ended = new Promise((done) => daemon.once("exit", done));
      daemon.kill("SIGTERM");
      await ended;
    }
    process.kill(Number(readFileSync(path.join(dir, "munge/pid"), "utf8")));
  };
  try {
    await ready(env);
  } catch (error) {
    await stop();
    throw error;
  }
  return { env, stop };
}

async function ready(env: NodeJS.ProcessEnv): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    try {
      const nodes = execFileSync("sinfo", ["--noheader", "--format=%T"], {
        env,
        encoding: "utf8",
        stdio: "pipe",
      });
      if (nodes.trim() === "idle") return;
    } catch {
      // not yet
    }
    await new Promise((done) => setTimeout(done, 500));
  }
  throw new Error("Slurm has not started within 30 seconds");
}

/** Waits until jobs have ended, successfully or not. @throws an Error after this many seconds. */
export async function jobsEnd(slurm: Slurm, jobs: readonly string[], seconds = 300): Promise<void> {
  for (let tries = 0; tries < seconds; tries++) {
    const left = execFileSync(
      "squeue",
      ["--noheader", "--array", "--format=%i %T %r", `--jobs=${jobs.join(",")}`],
      {
        env: slurm.env,
        encoding: "utf8",
        stdio: "pipe",
      },
    );
    if (left.trim() === "") return;
    await new Promise((done) => setTimeout(done, 1000));
  }
  throw new Error(`jobs ${jobs.join(", ")} have not ended within ${seconds} seconds`);
}
