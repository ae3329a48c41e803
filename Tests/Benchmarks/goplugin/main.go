// goplugin: times the same request by HashiCorp's go-plugin: goplugin cold|warm PAYLOAD ROUNDS. Host and plugin are one
// program. Samples are in microseconds.
package main

import (
	"fmt"
	"net/rpc"
	"os"
	"os/exec"
	"strconv"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
)

const cookie = "EXTHOST_BENCH_PLUGIN"

var handshake = plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: cookie, MagicCookieValue: "yes"}

// Server is the exported type with exported methods that net/rpc requires.
type Server struct{}

func (Server) Echo(request []byte, reply *[]byte) error {
	*reply = request
	return nil
}

type client struct{ rpc *rpc.Client }

func (c client) echo(request []byte) (reply []byte) {
	if err := c.rpc.Call("Plugin.Echo", request, &reply); err != nil || len(reply) != len(request) {
		panic(fmt.Sprint("echo: ", err))
	}
	return reply
}

type echoPlugin struct{}

func (echoPlugin) Server(*plugin.MuxBroker) (interface{}, error) { return Server{}, nil }

func (echoPlugin) Client(_ *plugin.MuxBroker, c *rpc.Client) (interface{}, error) {
	return client{c}, nil
}

var plugins = map[string]plugin.Plugin{"echo": echoPlugin{}}

func start() (*plugin.Client, client) {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	process := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: handshake, Plugins: plugins, Cmd: exec.Command(path, "serve"), Logger: hclog.NewNullLogger()})
	connection, err := process.Client()
	if err != nil {
		panic(err)
	}
	dispensed, err := connection.Dispense("echo")
	if err != nil {
		panic(err)
	}
	return process, dispensed.(client)
}

func show(name string, times []time.Duration) {
	fmt.Print(name, " us")
	for _, one := range times {
		fmt.Printf(" %.3f", float64(one.Nanoseconds())/1e3)
	}
	fmt.Println()
}

func main() {
	if os.Args[1] == "serve" {
		plugin.Serve(&plugin.ServeConfig{HandshakeConfig: handshake, Plugins: plugins, Logger: hclog.NewNullLogger()})
		return
	}
	request, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	rounds, _ := strconv.Atoi(os.Args[3])
	var results, gone, warm []time.Duration
	if os.Args[1] == "cold" {
		for round := -2; round < rounds; round++ {
			begin := time.Now()
			process, echo := start()
			echo.echo(request)
			answered := time.Since(begin)
			process.Kill()
			if round >= 0 {
				results, gone = append(results, answered), append(gone, time.Since(begin))
			}
		}
		show("result", results)
		show("gone", gone)
		return
	}
	process, echo := start()
	for round := -200; round < rounds; round++ {
		begin := time.Now()
		echo.echo(request)
		if round >= 0 {
			warm = append(warm, time.Since(begin))
		}
	}
	process.Kill()
	show("warm", warm)
}
