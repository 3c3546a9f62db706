//! Routes of frameworks: methods, paths with the groups around them, handlers.

use std::sync::Arc;

use stategraph_facts::{Fact, FactKind, FactValue, Facts};
use stategraph_repo::{CodeBase, MemoryFiles};

fn shown(fact: &Fact) -> Option<String> {
    let FactValue::Route { method, path, handler } = &fact.value else { return None };
    let handler = handler.as_ref().map(|handler| format!(" {handler}")).unwrap_or_default();
    Some(format!("{} {path}{handler}", method.as_deref().unwrap_or("*")))
}

fn check(path: &str, text: &str, expected: &[&str]) {
    let facts = Facts::collect(&CodeBase::new(Arc::new(MemoryFiles::new([(path, text)]))));
    let found: Vec<String> = facts.of_kind(FactKind::Route).filter_map(shown).collect();
    assert_eq!(found, expected, "{path}\n{text}");
}

#[test]
fn rust_has_routes_of_axum_actix_and_rocket() {
    check(
        "a.rs",
        "use axum::Router;\nfn f() { Router::new()\n.route(\"/a\", get(list).post(users::add))\n.nest(\"/b\", Router::new().route(\"/c\", any(x))) }",
        &["GET /a list", "POST /a users::add", "* /b/c x"],
    );
    check(
        "a.rs",
        "use actix_web::{get, web};\n#[get(\"/a/{id}\")]\nasync fn show() {}\nfn f() { web::scope(\"/v1\").service(web::resource(\"/b\").route(web::post().to(add))); }",
        &["GET /a/{id} show", "POST /v1/b add"],
    );
    check(
        "a.rs",
        "#[macro_use] extern crate rocket;\n#[post(\"/a/<id>\", data = \"<x>\")]\nfn add() {}",
        &["POST /a/<id> add"],
    );
    // Without a framework the words mean something else.
    check("a.rs", "fn f() { map.route(\"/a\", get(list)); }", &[]);
}

#[test]
fn python_has_routes_of_flask_fastapi_starlette_and_django() {
    check(
        "a.py",
        "from flask import Blueprint\nbp = Blueprint('b', __name__, url_prefix='/b')\n@bp.route('/x', methods=['GET', 'POST'])\ndef x(): pass\n@app.route('/y')\ndef y(): pass\n",
        &["GET /b/x x", "POST /b/x x", "GET /y y"],
    );
    check(
        "a.py",
        "from fastapi import APIRouter\nrouter = APIRouter(prefix='/items')\n@router.get('/{id}')\ndef one(id): pass\n@router.post('')\ndef add(): pass\n",
        &["GET /items/{id} one", "POST /items add"],
    );
    check(
        "a.py",
        "from starlette.routing import Mount, Route\nr = [Route('/a', a), Mount('/m', routes=[Route('/b', b, methods=['POST'])])]\n",
        &["GET /a a", "POST /m/b b"],
    );
    check(
        "a.py",
        "from django.urls import path, include\nu = [path('a/<int:id>/', views.a), path('b/', include('b.urls')), path('c/', V.as_view())]\n",
        &["* a/<int:id>/ views.a", "* c/ V"],
    );
    check("a.py", "import requests\n@mock.get('/x')\ndef x(): pass\nrequests.get('/y', z)\n", &[]);
}

#[test]
fn a_project_may_carry_bottle_with_it() {
    check(
        "a.py",
        "from .bottle import Bottle\napp = Bottle()\n@app.route('/a')\n@app.route('/b/:name')\n@auth('list')\ndef a(name=None): pass\n@app.post('/')\ndef b(): pass\n@app.hook('/x')\ndef c(): pass\n",
        &["GET /a a", "GET /b/:name a", "POST / b"],
    );
    check("b.py", "from .throttle import Bottle\napp = Bottle()\n@app.route('/a')\ndef a(): pass\n", &[]);
}

#[test]
fn scripts_have_routes_of_express_hono_fastify_and_nest() {
    check(
        "a.js",
        "const express = require('express');\nconst app = express();\napp.get('/a', auth, users.list);\napp.get('env');\nclient.get('/z', x);\napp.route('/b').get(b)\n.post(c);\n",
        &["GET /a users.list", "GET /b b", "POST /b c"],
    );
    check(
        "a.ts",
        "import { Hono } from 'hono';\nconst app = new Hono().basePath('/api');\napp.get('/a', (c) => c.text('x'));\n",
        &["GET /api/a"],
    );
    check(
        "a.ts",
        "import Fastify from 'fastify';\nconst f = Fastify();\nf.route({ method: 'GET', url: '/a', handler: list });\n",
        &["GET /a list"],
    );
    check(
        "a.ts",
        "import { Controller, Get } from '@nestjs/common';\n@Controller('cats')\nexport class Cats {\n  @Get(':id')\n  one() {}\n  @Post()\n  add() {}\n}\n",
        &["GET /cats/:id Cats.one", "POST /cats Cats.add"],
    );
    check(
        "src/app/(main)/api/cats/[id]/route.ts",
        "export async function GET() {}\nfunction POST() {}\n",
        &["GET /api/cats/[id] GET"],
    );
    // The router is a parameter: the file imports no framework.
    check(
        "a.js",
        "module.exports = (app) => { app.get('/a', (req, res) => res.send('x')); app.get('/b', opts); };",
        &["GET /a"],
    );
}

#[test]
fn java_and_csharp_join_the_path_of_the_class() {
    check(
        "A.java",
        "import org.springframework.web.bind.annotation.*;\n@RequestMapping(\"/a\")\nclass A {\n  @GetMapping({\"/x\", \"/y\"})\n  void x() {}\n  @RequestMapping(value = \"/z\", method = RequestMethod.POST)\n  void z() {}\n  @DeleteMapping\n  void d() {}\n}\n",
        &["GET /a/x A.x", "GET /a/y A.x", "POST /a/z A.z", "DELETE /a A.d"],
    );
    check(
        "A.java",
        "import jakarta.ws.rs.*;\n@Path(\"a\")\nclass A {\n  @GET\n  @Path(\"{id}\")\n  void x() {}\n  @POST\n  void y() {}\n}\n",
        &["GET /a/{id} A.x", "POST /a A.y"],
    );
    check(
        "A.java",
        "import org.springframework.web.bind.annotation.*;\n@FeignClient(\"x\")\ninterface A { @GetMapping(\"/x\") void x(); }\n",
        &[],
    );
    check(
        "A.cs",
        "using Microsoft.AspNetCore.Mvc;\n[Route(\"api/[controller]\")]\nclass AController {\n  [HttpGet(\"{id}\")]\n  public int One() { return 1; }\n  [HttpPost(\"/b\")]\n  public int Add() { return 1; }\n}\n",
        &["GET /api/[controller]/{id} AController.One", "POST /b AController.Add"],
    );
    check(
        "P.cs",
        "var g = app.MapGroup(\"/a\");\ng.MapGet(\"/b\", List);\napp.MapPost(\"/c\", () => 1);\n",
        &["GET /a/b List", "POST /c"],
    );
}

#[test]
fn go_joins_groups_that_enclose_and_groups_in_variables() {
    check(
        "a.go",
        "package a\nimport \"github.com/go-chi/chi/v5\"\nfunc f() {\n\tr.Get(\"/\", h)\n\tr.Route(\"/a\", func(r chi.Router) {\n\t\tr.With(m).Post(\"/b\", s.b)\n\t})\n\tr.Put(\"/c\", h)\n\thttp.Get(\"/x\", y)\n}\n",
        &["GET / h", "POST /a/b s.b", "PUT /c h"],
    );
    check(
        "a.go",
        "package a\nimport \"github.com/gin-gonic/gin\"\nfunc f() {\n\tv := g.Group(\"/v1\")\n\tu := v.Group(\"/users\")\n\tu.GET(\"/:id\", h)\n\tg.Group(\"/x\").Use(m).POST(\"\", p)\n\tv = other()\n\tv.GET(\"/y\", h)\n\tg.GET(\"z\", h)\n}\n",
        &["GET /v1/users/:id h", "POST /x p", "GET /y h", "GET /z h"],
    );
    check(
        "a.go",
        "package a\nimport \"net/http\"\nfunc f() {\n\thttp.HandleFunc(\"/a\", a)\n\tmux.Handle(\"GET /b/{id}\", b)\n\thttp.Get(\"/c\")\n}\n",
        &["* /a a", "GET /b/{id} b"],
    );
    check(
        "a.go",
        "package a\nimport \"github.com/gorilla/mux\"\nfunc f() {\n\tr.HandleFunc(\"/a\", a).Methods(\"GET\", \"POST\")\n}\n",
        &["GET /a a", "POST /a a"],
    );
}

#[test]
fn the_innermost_function_of_middleware_is_the_handler() {
    check(
        "a.go",
        "package a\nimport \"net/http\"\nfunc f() {\n\tmux.Handle(\"/a\", auth(log(list)))\n\tmux.Handle(\"/b\", may(s.list, \"read\"))\n\tmux.Handle(\"/c\", auth(store))\n\tmux.Handle(\"/d\", auth(store, list))\n}\nfunc list(w http.ResponseWriter, r *http.Request) {}\n",
        &["* /a list", "* /b s.list", "* /c", "* /d"],
    );
}

#[test]
fn rails_expands_resources_and_sinatra_needs_a_block() {
    check(
        "config/routes.rb",
        "Rails.application.routes.draw do\n  root to: 'home#index'\n  get '/about' => 'pages#about'\n  namespace :admin do\n    resources :users, only: [:index, :show] do\n      member do\n        post :lock\n      end\n      \
         resources :notes, only: :create\n    end\n  end\n  things.each do |t|\n    get \"/#{t}\"\n  end\nend\n",
        &[
            "GET / home#index",
            "GET /about pages#about",
            "GET /admin/users users#index",
            "GET /admin/users/:id users#show",
            "POST /admin/users/:id/lock",
            "POST /admin/users/:user_id/notes notes#create",
        ],
    );
    check("a.rb", "require 'sinatra'\nget '/a' do\n  'x'\nend\nget '/b'\n", &["GET /a"]);
    // A router of the project's own: routes in the body of a class, not the requests of a method.
    check(
        "b.rb",
        "class Web\n  extend Router\n  head \"/\" do\n    1\n  end\n  get \"/\" do\n    1\n  end\n  post \"/a/:name\" do\n    1\n  end\nend\n",
        &["HEAD /", "GET /", "POST /a/:name"],
    );
    check(
        "c.rb",
        "class Client\n  def f\n    get \"/\" do\n    end\n    get \"/b\" do\n    end\n    post \"/a\" do\n    end\n  end\nend\n",
        &[],
    );
}

#[test]
fn php_has_routes_of_laravel_slim_and_symfony() {
    check(
        "routes/web.php",
        "<?php\nuse Illuminate\\Support\\Facades\\Route;\nRoute::get('/a', [A::class, 'show']);\nRoute::prefix('b')->middleware('x')->group(function () {\n  Route::post('c/{id}', B::class);\n});\nRoute::put('d', 'D@e');\n",
        &["GET /a A.show", "POST /b/c/{id} B", "PUT /d D@e"],
    );
    check(
        "a.php",
        "<?php\nuse Slim\\App;\n$app->group('/a', function ($group) {\n  $group->get('/b', B::class);\n});\n$app->map(['GET', 'POST'], '/c', 'c');\n",
        &["GET /a/b B", "GET /c c", "POST /c c"],
    );
    check(
        "A.php",
        "<?php\nuse Symfony\\Component\\Routing\\Attribute\\Route;\n#[Route('/a')]\nclass A {\n  #[Route('/b', methods: ['GET'])]\n  public function b() {}\n}\n",
        &["GET /a/b A.b"],
    );
}

#[test]
fn routes_of_own_functions_and_constants_are_found() {
    check(
        "a.go",
        "package a\nimport \"net/http\"\nconst (\n\tdirPath = \"/dir\"\n)\nfunc (s *S) HandleFunc(mux *http.ServeMux, pattern string, h handler, methods ...string) {\n\tmux.Handle(pattern, wrap(h))\n}\nfunc (s *S) Handler() {\n\ts.HandleFunc(m, dirPath, s.Dir, http.MethodGet, http.MethodPost)\n\tm.HandleFunc(\"/x\", s.X)\n}\n",
        &["GET /dir s.Dir", "POST /dir s.Dir", "* /x s.X"],
    );
    check(
        "a.py",
        "def routes(self):\n    def add_route(view, regex):\n        routes.append((regex, view))\n    add_route(Logout.as_view(self), r'/-/logout$')\n    add_route(static(root), '/static/')\n    add_route(view, name)\n",
        &["* /-/logout$ Logout", "* /static/"],
    );
    check(
        "a.py",
        "from aiohttp import web\napp.router.add_get('/a', show)\napp.add_routes([web.post('/b', add)])\n",
        &["GET /a show", "POST /b add"],
    );
}
